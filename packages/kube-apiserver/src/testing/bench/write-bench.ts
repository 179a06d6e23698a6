import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { compare, describeShare, percent, shareOf, warmUp } from './compare.ts';
import type { LoadRequest } from './load/connection.ts';
import { connectAll, percentile, runLoad } from './load/load.ts';
import { CONFIG_MAPS, configMap, WIDGETS, widget, widgetDefinition } from './objects.ts';
import { Stage } from './stage.ts';

const IN_FLIGHT = 64;
const JSON_BODY = { 'content-type': 'application/json' };

/** Measures durable writes: new objects of a built-in and of a custom kind, and patches. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open({ durable: true });
  await stage.copyToBare(await stage.ask('POST', CONFIG_MAPS, configMap('first')));
  const creates = await compare(stage, {
    protocol: 'h2',
    inFlight: IN_FLIGHT,
    next: creations(CONFIG_MAPS, configMap),
  });
  print(`${describeShare(`CREATE, ${IN_FLIGHT} in flight`, creates)}, p99 ${creates.p99Ms.toFixed(1)} ms`);
  await benchSingle(stage, print);

  const shareOfCreate = async (what: string, next: () => LoadRequest): Promise<void> => {
    const load = { protocol: 'h2', inFlight: IN_FLIGHT, next } as const;
    const { perSecond, basePerSecond, share, cpuShare } = await shareOf(stage, creations(CONFIG_MAPS, configMap), load);
    const rates = `${Math.round(perSecond)}/s of ${Math.round(basePerSecond)}/s`;
    const shares = `${percent(share)} of CREATE (${rates}), ${percent(cpuShare)} by processor time`;
    print(`${`${what}, ${IN_FLIGHT} in flight`.padEnd(44)} ${shares}`);
  };
  await fillPatched(stage);
  await shareOfCreate('PATCH (merge)', mergePatches());
  await shareOfCreate('PATCH (apply)', appliedConfigurations());
  await defineWidgets(stage);
  await shareOfCreate('CREATE of a custom resource, 40 fields, 5 rules', creations(WIDGETS, widget));
}

let made = 0;

/** Encodes the text once, to keep the client fast. */
function creations(path: string, make: (name: string) => object): () => LoadRequest {
  const [before, after] = JSON.stringify(make('NAME')).split('NAME') as [string, string];
  return () => {
    made++;
    return { method: 'POST', path, headers: JSON_BODY, body: Buffer.from(`${before}made-${made}${after}`) };
  };
}

const PATCHED = 256;

async function fillPatched(stage: Stage): Promise<void> {
  for (let i = 0; i < PATCHED; i++) await stage.ask('POST', CONFIG_MAPS, configMap(`patched-${i}`));
}

function mergePatches(): () => LoadRequest {
  let sent = 0;
  return () => {
    sent++;
    const path = `${CONFIG_MAPS}/patched-${sent % PATCHED}`;
    const body = Buffer.from(JSON.stringify({ data: { version: `merged-${sent}` } }));
    return { method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body };
  };
}

function appliedConfigurations(): () => LoadRequest {
  let sent = 0;
  return () => {
    sent++;
    const name = `patched-${sent % PATCHED}`;
    const path = `${CONFIG_MAPS}/${name}?fieldManager=bench-apply&force=true`;
    const body = Buffer.from(JSON.stringify(configMap(name, sent)));
    return { method: 'PATCH', path, headers: { 'content-type': 'application/apply-patch+yaml' }, body };
  };
}

async function defineWidgets(stage: Stage): Promise<void> {
  await stage.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
  for (;;) {
    try {
      await stage.ask('GET', WIDGETS);
      return;
    } catch {
      await realClock.sleep(20);
    }
  }
}

const ROUNDS = 60;
const FLUSHES_A_ROUND = 10;
const WRITES_A_ROUND_MS = 40;

/** Measures one write at a time, and between them raw flushes of as many bytes, because the disk's speed varies. */
async function benchSingle(stage: Stage, print: (line: string) => void): Promise<void> {
  const connections = await connectAll(stage.target, 'h2', 1);
  const file = openSync(join(stage.folder, 'flushed'), 'a');
  const flushes: number[] = [];
  const writes: number[] = [];
  await warmUp(connections, creations(CONFIG_MAPS, configMap));
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < FLUSHES_A_ROUND; i++) flushes.push(rawFlushMs(file));
    const { latencies } = await runLoad(connections, WRITES_A_ROUND_MS, creations(CONFIG_MAPS, configMap));
    writes.push(...latencies);
  }
  closeSync(file);
  for (const connection of connections) connection.close();
  const flush = medianOf(flushes);
  const write = medianOf(writes);
  print(
    `${'CREATE, 1 in flight'.padEnd(44)} p50 ${write.toFixed(2)} ms, ${(write / flush).toFixed(1)} × a raw flush ` +
      `(${flush.toFixed(2)} ms)`,
  );
}

const PAGE = Buffer.alloc(4096, 'x');

/** Appends a page, flushes it, and returns the time. */
function rawFlushMs(file: number): number {
  const began = performance.now();
  writeSync(file, PAGE);
  fdatasyncSync(file);
  return performance.now() - began;
}

function medianOf(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
