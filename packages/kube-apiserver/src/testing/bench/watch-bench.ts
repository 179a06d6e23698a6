import { realClock } from '@pintle/async';
import type { Target } from './load/connection.ts';
import { Http2Connection } from './load/http2-connection.ts';
import { percentile } from './load/load.ts';
import { CONFIG_MAPS, configMap } from './objects.ts';
import { Stage } from './stage.ts';

/** Measures a write with a thousand watchers, and ten thousand idle watches. */
export async function bench(print: (line: string) => void): Promise<void> {
  await benchFanOut(print);
  await benchIdle(print);
}

const WATCHERS = 1_000;
const WRITES = 200;
const STREAMS_PER_CONNECTION = 100;
const IDLE = 10_000;
const LINE_FEED = 0x0a;
const PATIENCE_MS = 20_000;

async function benchFanOut(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open();
  await stage.ask('POST', CONFIG_MAPS, configMap('written'));
  const ours = await fanOut(stage.target);
  const event = `{"type":"MODIFIED","object":${(await stage.ask('GET', `${CONFIG_MAPS}/written`)).body.trimEnd()}}\n`;
  await stage.copyToBare({ status: 200, body: event });
  const bare = await fanOut(stage.bareTarget('h2'));
  print(
    `${`${WATCHERS} watchers, ${WRITES} writes`.padEnd(44)} ${ours.delivered} of ${WATCHERS * WRITES} events, ` +
      `p50 ${ours.p50Ms.toFixed(0)} ms, p99 ${ours.p99Ms.toFixed(0)} ms, ${ours.perSecond} events/s; ` +
      `a bare server: p99 ${bare.p99Ms.toFixed(0)} ms, ${bare.perSecond} events/s`,
  );
}

interface FanOut {
  readonly delivered: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Writes one object after the other; the latency of an event counts from its write. */
async function fanOut(target: Target): Promise<FanOut> {
  const sentAt: number[] = [];
  const latencies: number[] = [];
  const watchers = await openWatches(target, WATCHERS, (seen, count) => {
    const now = performance.now();
    for (let i = seen; i < seen + count; i++) latencies.push(now - sentAt[i]!);
  });
  const writer = await Http2Connection.open(target, 1);
  const began = performance.now();
  for (let i = 0; i < WRITES; i++) {
    sentAt.push(performance.now());
    await writer.send({
      method: 'PUT',
      path: `${CONFIG_MAPS}/written`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(configMap('written', i + 1))),
    });
  }
  const total = WATCHERS * WRITES;
  for (const end = began + PATIENCE_MS; latencies.length < total && performance.now() < end; ) await realClock.sleep(5);
  const seconds = (performance.now() - began) / 1000;
  for (const connection of [writer, ...watchers]) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    delivered: latencies.length,
    perSecond: Math.round(latencies.length / seconds),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** Resolves once every watch is open. Calls `onEvents` with the events that a watch had before (`seen`), and the new ones. */
async function openWatches(
  target: Target,
  count: number,
  onEvents: (seen: number, count: number) => void,
): Promise<Http2Connection[]> {
  const connections: Http2Connection[] = [];
  for (let opened = 0; opened < count; opened += STREAMS_PER_CONNECTION) {
    const connection = await Http2Connection.open(target, STREAMS_PER_CONNECTION);
    connections.push(connection);
    const size = Math.min(STREAMS_PER_CONNECTION, count - opened);
    await Promise.all(Array.from({ length: size }, () => openWatch(connection, onEvents)));
  }
  return connections;
}

/** Opens a watch from the present, without initial events. */
function openWatch(connection: Http2Connection, onEvents: (seen: number, count: number) => void): Promise<void> {
  let seen = 0;
  const path = `${CONFIG_MAPS}?watch=true&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;
  return new Promise((resolve, reject) => {
    const onData = (bytes: Buffer): void => {
      const count = linesIn(bytes);
      onEvents(seen, count);
      seen += count;
    };
    connection.send({ method: 'GET', path }, { onData, onHead: resolve }).catch(reject);
  });
}

function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

async function benchIdle(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open();
  for (const connection of await openWatches(stage.target, STREAMS_PER_CONNECTION, () => {})) connection.close();
  const before = await stage.usage();
  const connections = await openWatches(stage.target, IDLE, () => {});
  const after = await stage.usage();
  for (const connection of connections) connection.close();
  const kib = (bytes: number): string => (bytes / IDLE / 1024).toFixed(1);
  print(
    `${`${IDLE} idle watches over HTTP/2`.padEnd(44)} ${kib(after.rssBytes - before.rssBytes)} KiB each, ` +
      `of it JavaScript ${kib(after.heapBytes - before.heapBytes)} KiB`,
  );
}
