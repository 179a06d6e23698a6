import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { startControlPlane } from '../start-control-plane.ts';
import type { Cost } from './measure.ts';
import { costOf, medianCost } from './measure.ts';

const FRESH_PROCESSES = 5;
const STARTS = 20;
const OBJECTS = 1_000;

/** Measures the cost of a control plane inside a test. */
export async function bench(print: (line: string) => void): Promise<void> {
  const fresh: { imported: Cost; started: Cost }[] = [];
  for (let i = 0; i < FRESH_PROCESSES; i++) fresh.push(await inFreshProcess('fresh-start.js'));
  print(
    `import                              ${show(medianCost(fresh.map(({ imported }) => imported)))}   (bound 200 ms)`,
  );
  print(
    `first start of a process, answered  ${show(medianCost(fresh.map(({ started }) => started)))}   loads the server`,
  );
  print(`start to first answer, p50 of ${STARTS}    ${show(await start())}   (bound 30 ms)`);
  print(`fork of ${OBJECTS} objects, p50 of ${STARTS}     ${show(await fork())}   (bound 20 ms)`);
  const { megabytes } = await inFreshProcess<{ megabytes: number }>('many-planes.js');
  print(`50 planes side by side              ${Math.round(megabytes)} MB   (bound 1,024 MB)`);
}

async function start(): Promise<Cost> {
  return await costOf(STARTS, async () => {
    const plane = await startControlPlane({ env: {} });
    await plane.client.list(ConfigMap, { namespace: 'default' });
    return plane;
  });
}

async function fork(): Promise<Cost> {
  await using plane = await startControlPlane({ env: {} });
  for (let i = 0; i < OBJECTS; i++) {
    const metadata = { namespace: 'default', name: `object-${i}` };
    await plane.client.create(ConfigMap, { metadata, data: { i: `${i}` } });
  }
  return await costOf(STARTS, () => plane.fork());
}

async function inFreshProcess<T>(script: string): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, script)]);
  return JSON.parse(stdout) as T;
}

function show({ wallMs, cpuMs }: Cost): string {
  return `${wallMs.toFixed(1).padStart(7)} ms, ${cpuMs.toFixed(1).padStart(6)} of the processor`;
}
