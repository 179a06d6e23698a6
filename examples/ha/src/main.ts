import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '@pintle/client';
import { Clients } from './clients.ts';
import { Cluster, type Kind } from './cluster.ts';

const HELP = `Commands:
  kill server 1       Kill an API server; also: kill etcd 2, kill controllers 1
  stop server 1       Stop it as an upgrade would
  start server 1      Start it again
  wait 5              Wait for some seconds
  status              Show what runs, and what clients see
  quit                Compare what was acknowledged with what is there, and stop everything`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    folder: { type: 'string' },
    writes: { type: 'string', default: '50' },
    informers: { type: 'string', default: '20' },
    do: { type: 'string', short: 'c' },
  },
});
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'pintle-ha-')) : resolve(values.folder);
const cluster = await Cluster.start(folder, { etcd: findEtcd(), port: Number(values.port) });
try {
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
  const clients = await Clients.start(config, { writes: Number(values.writes), informers: Number(values.informers) });
  console.log(
    `Three API servers behind https://127.0.0.1:${cluster.port}\n\n  export KUBECONFIG=${cluster.kubeconfig}\n`,
  );
  if (values.do === undefined) console.log(HELP);
  await follow(clients);
  const seen = await clients.finish();
  console.log(`\n${JSON.stringify(seen)}`);
  if (seen.lost > 0 || seen.different > 0) process.exitCode = 1;
} finally {
  await cluster.close();
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function follow(clients: Clients): Promise<void> {
  if (values.do !== undefined) {
    for (const command of values.do.split(',')) await run(command.trim(), clients);
    return;
  }
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    if (line.trim() === 'quit') break;
    await run(line.trim(), clients).catch((error: Error) => console.log(error.message));
  }
  lines.close();
}

async function run(command: string, clients: Clients): Promise<void> {
  const [verb = '', kind = '', number = '1'] = command.split(/\s+/);
  if (verb === 'kill') await cluster.kill(kind as Kind, Number(number));
  else if (verb === 'stop') await cluster.stop(kind as Kind, Number(number));
  else if (verb === 'start') cluster.start(kind as Kind, Number(number));
  else if (verb === 'wait') await sleep(Number(kind) * 1000);
  else if (verb !== 'status') throw new Error(`Cannot run ${JSON.stringify(command)}.\n${HELP}`);
  console.log(`${command.padEnd(20)} ${clients.line}`);
  if (verb === 'status') console.log(cluster.status);
}

/** Returns ETCD_BIN, an etcd on the PATH, or the one that the scripts of this repository build. */
function findEtcd(): string {
  if (process.env.ETCD_BIN) return process.env.ETCD_BIN;
  if (spawnSync('etcd', ['--version'], { stdio: 'ignore' }).status === 0) return 'etcd';
  const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 'etcd.mjs');
  if (existsSync(script)) return execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim();
  throw new Error('Cannot start: there is no etcd. Install it, or set ETCD_BIN to its path.');
}
