import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { showLine } from '../show-line.ts';
import { UsageError } from '../usage-error.ts';
import { OUTSIDE_THE_TERMINAL } from './operator-process.ts';
import { TelemetryRelay } from './telemetry-relay.ts';

/** A control plane in its own process, which operators and their restarts do not slow down. */
export interface PlaneProcess {
  readonly kubeconfig: string;
  readonly ended: Promise<unknown>;
  /** Passes telemetry between the plane's console and an operator. */
  readonly relay: TelemetryRelay;
  stop(): Promise<void>;
}

/** Starts a control plane with the data of the project. It ends when this process ends. */
export async function startPlane(
  directory: string,
  { port: given, nodes }: { readonly port?: number; readonly nodes: number },
): Promise<PlaneProcess> {
  const folder = join(directory, '.pintle');
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'kubeconfig');
  const port = given ?? (await choosePort(kubeconfig));
  const args = ['up', '--data', folder, '--port', `${port}`, '--nodes', `${nodes}`, '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, [process.argv[1]!, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...OUTSIDE_THE_TERMINAL,
  });
  const ended = once(child, 'close');
  let holder: string | undefined;
  createInterface({ input: child.stderr! }).on('line', (line) => {
    const found = IN_USE.exec(line);
    if (found === null) showLine(line);
    else holder = found[1] ?? 'another process';
  });
  await new Promise<void>((done, failed) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line.includes('is ready')) done();
      const page = /^ {4}console {4}(\S+)$/.exec(line)?.[1];
      if (page !== undefined) process.stdout.write(`Console: ${page}\n`);
    });
    void ended.then(() =>
      failed(new UsageError(holder === undefined ? 'Cannot start the control plane: it exited' : inUse(holder))),
    );
  });
  if (given === undefined && port !== DEFAULT_PORT)
    process.stdout.write(`Port ${DEFAULT_PORT} is taken: the control plane uses the port in its kubeconfig\n`);
  process.stdout.write(`Control plane is ready: export KUBECONFIG=${kubeconfig}\n`);
  return {
    kubeconfig,
    ended,
    relay: new TelemetryRelay(child),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const DEFAULT_PORT = 6443;

/** Returns the port of the last control plane when the usual one is taken: links to its console then stay valid. */
async function choosePort(kubeconfig: string): Promise<number> {
  if (await isFree(DEFAULT_PORT)) return DEFAULT_PORT;
  const text = existsSync(kubeconfig) ? readFileSync(kubeconfig, 'utf8') : '';
  const last = Number(/"?server"?: *"?https:\/\/[^"\s/]*:(\d{1,5})\b/.exec(text)?.[1] ?? 0);
  return last > 0 && last < 65_536 && (await isFree(last)) ? last : 0;
}

/** True when no process listens on a port of this machine. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** Matches the error of a control plane whose data another one uses. Its advice, another folder, does not fit `pintle dev`. */
const IN_USE = /Cannot open .*: it is in use(?: by ([^.]+))?\. Stop that server first/;

function inUse(holder: string): string {
  return `Cannot run pintle dev in this folder: pintle dev or pintle up already runs here as ${holder}. Stop it first.`;
}
