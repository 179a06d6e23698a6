import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { startControlPlane } from '../start-control-plane.ts';
import { median, medianMs } from './measure.ts';

const FRESH_PROCESSES = 5;
const STARTS = 20;
const OBJECTS = 1_000;

/** What a control plane inside a test costs. */
export async function bench(print: (line: string) => void): Promise<void> {
  const fresh = await inFreshProcesses('fresh-start.js', FRESH_PROCESSES);
  print(`import                              ${ms(median(fresh.map(({ importMs }) => importMs!)))}   (bound 200 ms)`);
  print(`first start of a process, answered  ${ms(median(fresh.map(({ startMs }) => startMs!)))}   loads the server`);
  print(`start to first answer, p50 of ${STARTS}    ${ms(await start())}   (bound 30 ms)`);
  print(`fork of ${OBJECTS} objects, p50 of ${STARTS}      ${ms(await fork())}   (bound 20 ms)`);
  const [planes] = await inFreshProcesses('many-planes.js', 1);
  print(`50 planes side by side              ${Math.round(planes!.megabytes!)} MB   (bound 1,024 MB)`);
}

async function start(): Promise<number> {
  return await medianMs(STARTS, async () => {
    await using plane = await startControlPlane({ env: {} });
    await plane.client.list(ConfigMap, { namespace: 'default' });
  });
}

async function fork(): Promise<number> {
  await using plane = await startControlPlane({ env: {} });
  for (let i = 0; i < OBJECTS; i++) {
    await plane.client.create(ConfigMap, {
      metadata: { namespace: 'default', name: `object-${i}` },
      data: { i: `${i}` },
    });
  }
  return await medianMs(STARTS, async () => {
    await using copy = await plane.fork();
    await copy.client.get(ConfigMap, { namespace: 'default', name: 'object-7' });
  });
}

/** One after the other: each has the machine to itself. */
async function inFreshProcesses(script: string, count: number): Promise<Record<string, number>[]> {
  const results: Record<string, number>[] = [];
  for (let i = 0; i < count; i++) {
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, script)]);
    results.push(JSON.parse(stdout));
  }
  return results;
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(1)} ms`.padStart(10);
}
