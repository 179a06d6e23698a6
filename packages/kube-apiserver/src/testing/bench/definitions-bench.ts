import type { Connection, LoadRequest } from './load/connection.ts';
import { connectAll, percentile } from './load/load.ts';
import { widgetDefinition } from './objects.ts';
import { Stage } from './stage.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const COUNT = 1_000;
const GROUPS = 50;
const MORE = 20;
const IN_FLIGHT = 8;

/** Measures a thousand definitions of 40 fields in fifty groups, and the time until a further one is served. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open();
  const connections = await connectAll(stage.target, 'http/1.1', IN_FLIGHT);
  await defineAndList(connections[0]!, 2 * COUNT);
  const first = await stage.usage();
  print(`the first one, with all that is loaded for it: longest stall ${first.busyStallMs.toFixed(0)} ms`);
  const tookMs = await createAll(connections, COUNT);
  const { stallMs, busyStallMs, rssBytes, peakRssBytes } = await stage.usage();
  print(`${COUNT} definitions served after ${tookMs.toFixed(0)} ms`);
  print(`longest stall ${busyStallMs.toFixed(0)} ms computing (${stallMs.toFixed(0)} ms in all), at most 100 wanted`);
  print(`memory ${megabytes(rssBytes)} MB, at most ${megabytes(peakRssBytes)} MB meanwhile; at most 600 wanted`);
  const times: number[] = [];
  for (let i = 0; i < MORE; i++) times.push(await defineAndList(connections[0]!, COUNT + i));
  times.sort((a, b) => a - b);
  const [p50, worst] = [percentile(times, 0.5), times.at(-1)!];
  print(`one more served after ${p50.toFixed(1)} ms (worst of ${MORE}: ${worst.toFixed(1)} ms), at most 50 wanted`);
  await benchDocuments(stage, connections[0]!, print);
  for (const connection of connections) connection.close();
}

/** Measures discovery and OpenAPI of all of them, as clients request it when they start. */
async function benchDocuments(stage: Stage, connection: Connection, print: (line: string) => void): Promise<void> {
  const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
  const requests: Record<string, LoadRequest> = {
    'aggregated discovery': { method: 'GET', path: '/apis', headers: aggregated },
    'OpenAPI v3 index': { method: 'GET', path: '/openapi/v3' },
    'OpenAPI v3 of one group': { method: 'GET', path: '/openapi/v3/apis/g1.bench.pintle.dev/v1' },
    'OpenAPI v2': { method: 'GET', path: '/openapi/v2' },
  };
  for (const [name, request] of Object.entries(requests)) {
    await stage.usage();
    const began = performance.now();
    const { bytes } = await connection.send(request);
    const tookMs = performance.now() - began;
    const { busyStallMs } = await stage.usage();
    print(`${name}: ${megabytes(bytes)} MB in ${tookMs.toFixed(0)} ms, longest stall ${busyStallMs.toFixed(0)} ms`);
  }
}

async function createAll(connections: readonly Connection[], count: number): Promise<number> {
  let next = 0;
  const began = performance.now();
  const work = async (connection: Connection): Promise<void> => {
    while (next < count) await defineAndList(connection, next++);
  };
  await Promise.all(connections.map(work));
  return performance.now() - began;
}

/** Creates a definition and returns the time until its resource responds. */
async function defineAndList(connection: Connection, index: number): Promise<number> {
  const { group, plural, definition } = definitionOf(index);
  const body = Buffer.from(JSON.stringify(definition));
  const headers = { 'content-type': 'application/json' };
  const began = performance.now();
  const { status } = await connection.send({ method: 'POST', path: DEFINITIONS, headers, body });
  if (status !== 201) throw new Error(`Cannot create a definition: the server answered ${status}`);
  for (;;) {
    const answer = await connection.send({ method: 'GET', path: `/apis/${group}/v1/${plural}` });
    if (answer.status === 200) return performance.now() - began;
  }
}

function definitionOf(index: number) {
  const { spec, ...rest } = widgetDefinition() as { spec: object };
  const group = `g${index % GROUPS}.bench.pintle.dev`;
  const plural = `widgets${index}`;
  const names = { plural, singular: `widget${index}`, kind: `Widget${index}`, listKind: `Widget${index}List` };
  const definition = { ...rest, metadata: { name: `${plural}.${group}` }, spec: { ...spec, group, names } };
  return { group, plural, definition };
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0);
}
