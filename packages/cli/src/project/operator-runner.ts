// Runs the operator of a project, whose main module is the only argument, when the parent process sends a message.
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { realClock } from '@pintle/async';
import { errorText } from '@pintle/machinery/errors';
import type { StartMessage } from './operator-process.ts';

/** Packages that nearly every operator imports. Loading them has no side effects. */
const COMMON = ['@pintle/operator', '@pintle/client', '@pintle/kinds/core/v1', 'zod'];
/** Time to stop after the parent is gone. */
const STOP_MS = 10_000;
/** Errors whose message is enough. Declared before the first await: `become` may run while modules still load. */
const USER_ERRORS: ReadonlySet<string> = new Set(['OperatorError', 'ResourceError', 'ClientError', 'StatusError']);
/** Reports on the managers while it exists. Declared before the first await, as above. */
let collector: Disposable | undefined;

const main = process.argv[2]!;
process.argv.splice(1, 2, main);
/** Resolves packages of the project, not of this package. */
const require = createRequire(main);

// The reader of the output may be gone; the operator still stops in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.once('disconnect', leave);
process.once('message', (message: StartMessage) => {
  process.on('message', onTelemetryMessage);
  void become(message);
});
for (const name of COMMON) await load(name);

async function become({ resourcesWithoutController }: StartMessage): Promise<void> {
  process.off('disconnect', leave);
  process.once('disconnect', stop);
  // The channel to the parent does not keep the process alive.
  process.channel?.unref();
  try {
    if (resourcesWithoutController.length > 0) await installResourcesWithoutController(resourcesWithoutController);
    await import(pathToFileURL(main).href);
  } catch (error) {
    const text = isUserError(error) ? `${errorText(error)}${sourceLineOf(error)}` : inspect(error);
    process.stderr.write(`Operator failed: ${text}\n`);
    process.exit(1);
  }
}

/** Reports on the managers of this process while the console of the control plane asks for it. */
async function onTelemetryMessage(message: unknown): Promise<void> {
  const { telemetry } = message as { readonly telemetry?: string };
  if (telemetry === 'stop') {
    collector?.[Symbol.dispose]();
    collector = undefined;
  } else if (telemetry === 'start' && collector === undefined) {
    const { TelemetryCollector } = await import('@pintle/operator/telemetry');
    collector ??= new TelemetryCollector(realClock, (reports) => {
      if (process.connected) process.send?.({ telemetry: 'reports', reports }, undefined, undefined, () => undefined);
    });
  }
}

/** The parent is gone before it started the operator. */
function leave(): void {
  process.exit();
}

/** Stops as on SIGTERM: the operator releases its lease and restores the webhook configurations. */
function stop(): void {
  realClock.setTimer(STOP_MS, () => process.exit(1));
  process.kill(process.pid, 'SIGTERM');
}

/** True for errors whose message is enough: their stack does not help. */
function isUserError(error: unknown): error is Error {
  return error instanceof Error && USER_ERRORS.has(error.name);
}

/** Returns the line of the project that defines an invalid resource; empty for other errors. */
function sourceLineOf({ name, stack = '' }: Error): string {
  if (name !== 'ResourceError') return '';
  const project = dirname(dirname(main));
  const folders = [`${project}${sep}src${sep}`, `${pathToFileURL(project).href}/src/`];
  const frame = stack
    .split('\n')
    .find((line) => /^\s+at /.test(line) && folders.some((folder) => line.includes(folder)));
  return frame === undefined ? '' : `\n    ${frame.trim()}`;
}

/** Installs CRDs of resources without a controller, which no manager installs. */
async function installResourcesWithoutController(modules: StartMessage['resourcesWithoutController']): Promise<void> {
  const { installResources, readDescriptions } = await loaded<typeof import('@pintle/operator')>(
    require.resolve('@pintle/operator'),
  );
  const { connect } = await loaded<typeof import('@pintle/client')>(require.resolve('@pintle/client'));
  const found = await Promise.all(
    modules.map(async ({ path, kind }) => (await loaded<Record<string, unknown>>(path))[kind] as Installed | undefined),
  );
  const descriptions = await readDescriptions(process.env.PINTLE_DESCRIPTIONS);
  await using client = await connect();
  await installResources(client, found.filter((each) => each?.definition !== undefined) as Installed[], {
    fieldManager: 'pintle-dev',
    ...(descriptions && { descriptions }),
  });
}

type Installed = Parameters<typeof import('@pintle/operator').installResources>[1][number];

async function loaded<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(path).href)) as T;
}

async function load(name: string): Promise<void> {
  try {
    await import(pathToFileURL(require.resolve(name)).href);
  } catch {
    // The project does not use the package.
  }
}
