import { Channel, SeededRandom, SteppedClock } from '@pintle/async';
import { Client, SharedInformers, type TransportRequest, type TransportResponse, WorkQueue } from '@pintle/client';
import { expect, test } from 'vitest';
import type { Log } from '../controller/controller.ts';
import type { OperatorReport } from '../telemetry/collector.ts';
import { beginRecording } from '../telemetry/recording.ts';
import { fitted, Reporter } from './reporter.ts';

type Stream = { line(frame: object): void; end(): void; fail(): void };

/** A reporter before a server that a test plays. */
function startReporter({ status = 200 }: { readonly status?: number } = {}) {
  const clock = new SteppedClock();
  const random = new SeededRandom(1);
  const server = { status, reportStatus: 200 };
  const sent: TransportRequest[] = [];
  const streams: Stream[] = [];
  const reports: OperatorReport[] = [];
  const told: [string, object | undefined][] = [];
  const log: Log = {
    info: () => undefined,
    warn: (message, fields) => told.push([message, fields]),
    error: (message) => expect.fail(message),
  };
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    sent.push(request);
    const isReport = request.path !== '/console/reports';
    const code = isReport ? server.reportStatus : server.status;
    if (isReport && code === 200) reports.push(JSON.parse(Buffer.from(request.body!).toString()));
    if (isReport || code !== 200) return { status: code, headers: {}, body: Buffer.from('{}') };
    const lines = new Channel<Uint8Array>(100);
    const fail = (): void => lines.fail(new Error('The connection is lost'));
    request.signal!.addEventListener('abort', fail);
    streams.push({
      line: (frame) => lines.trySend(Buffer.from(`${JSON.stringify(frame)}\n`)),
      end: () => lines.close(),
      fail,
    });
    return { status: 200, headers: {}, body: lines };
  };
  const client = new Client({ transport: { send }, clock });
  const controller = { name: 'site', queue: new WorkQueue<{ name: string }>({ clock }) };
  const informers = new SharedInformers({ client, clock, random, onError: () => undefined });
  const manager = { name: 'shop', isControlPlane: false, controllers: [controller], informers, isLeading: () => true };
  const reconcile = async (): Promise<boolean> => {
    const recording = beginRecording(() => ({ clock, controller, request: { name: 'web' }, reasons: [], failures: 0 }));
    await recording?.run(async () => undefined);
    recording?.finish({ outcome: 'success', durationMs: 1 }, undefined);
    return recording !== undefined;
  };
  const stop = new AbortController();
  const reporter = new Reporter({ client, manager, clock, random, log, host: 'shop-1' });
  const running = reporter.run({ signal: stop.signal });
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { clock, server, sent, streams, reports, told, reconcile, end };
}

test('while nobody looks there is one stream, and no reconcile is recorded or sent', async () => {
  const { clock, sent, streams, reconcile, end } = startReporter();
  await clock.advance(0);
  streams[0]!.line({ stream: 'abc', maxBytes: 262_144, intervalMs: 1_000 });
  for (let run = 0; run < 1_000; run++) expect(await reconcile()).toBe(false);
  await clock.advance(60_000);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /console/reports']);
  expect(sent[0]!.body).toBeUndefined();
  await end();
});

test('while a page looks there is a report each second, with the reconciles since the last one', async () => {
  const { clock, sent, streams, reports, reconcile, end } = startReporter();
  await clock.advance(0);
  streams[0]!.line({ stream: 'abc', intervalMs: 1_000 });
  streams[0]!.line({ isWanted: true });
  await clock.advance(0);
  expect(reports).toHaveLength(1);
  expect(await reconcile()).toBe(true);
  await clock.advance(3_000);
  expect(sent.at(-1)!.path).toBe('/console/reports/abc');
  expect(reports.map(({ traces }) => traces.length)).toEqual([0, 1, 0, 0]);
  expect(reports[1]).toMatchObject({ name: 'shop', controllers: [{ name: 'site' }], traces: [{ controller: 'site' }] });
  streams[0]!.line({ isWanted: false });
  await clock.advance(0);
  expect(await reconcile()).toBe(false);
  const before = reports.length;
  await clock.advance(5_000);
  expect(reports).toHaveLength(before);
  streams[0]!.line({ isWanted: true });
  await clock.advance(0);
  expect(reports).toHaveLength(before + 1);
  await end();
});

test('a server that changes its mind all the time gets no more reports than one that does not', async () => {
  const { clock, streams, reports, end } = startReporter();
  await clock.advance(0);
  streams[0]!.line({ stream: 'abc', intervalMs: 1_000 });
  for (let change = 0; change < 50; change++) streams[0]!.line({ isWanted: change % 2 === 0 });
  streams[0]!.line({ isWanted: true });
  await clock.advance(2_500);
  expect(reports.length).toBeLessThanOrEqual(3);
  await end();
});

test.each([401, 403, 404])('a server that answers %i is told of once, and asked again rarely', async (status) => {
  const { clock, server, sent, streams, told, end } = startReporter({ status });
  await clock.advance(0);
  await clock.advance(7 * 60_000);
  expect(sent).toHaveLength(1);
  await clock.advance(60 * 60_000);
  expect(sent.length).toBeGreaterThan(5);
  expect(sent.length).toBeLessThan(10);
  expect(told).toEqual([['Cannot report to the console; trying again later', expect.objectContaining({ status })]]);
  server.status = 200;
  await clock.advance(11 * 60_000);
  expect(streams.length).toBeGreaterThan(0);
  await end();
});

test('a stream that ends, breaks or is silent is opened again', async () => {
  const { clock, streams, reports, told, end } = startReporter();
  const begin = async (): Promise<Stream> => {
    await clock.advance(2_000);
    const stream = streams.at(-1)!;
    stream.line({ stream: `s${streams.length}` });
    stream.line({ isWanted: true });
    await clock.advance(15_000);
    return stream;
  };
  (await begin()).end();
  (await begin()).fail();
  await begin();
  expect(streams).toHaveLength(3);
  await clock.advance(95_000);
  expect(streams).toHaveLength(4);
  const before = reports.length;
  await begin();
  expect(reports.length).toBeGreaterThan(before);
  expect(told).toEqual([]);
  await end();
});

test('a server that closes at once is asked less and less often', async () => {
  const { clock, streams, end } = startReporter();
  for (let second = 0; second < 600; second++) {
    await clock.advance(1_000);
    streams.at(-1)?.end();
  }
  expect(streams.length).toBeLessThan(30);
  await end();
});

test('a refused report ends the stream; one that the server does not know is opened again', async () => {
  const { clock, server, streams, sent, told, end } = startReporter();
  await clock.advance(0);
  streams[0]!.line({ stream: 'a' });
  server.reportStatus = 404;
  streams[0]!.line({ isWanted: true });
  await clock.advance(2_000);
  expect(streams).toHaveLength(2);
  expect(told).toEqual([]);
  server.reportStatus = 401;
  streams[1]!.line({ stream: 'b' });
  streams[1]!.line({ isWanted: true });
  await clock.advance(5 * 60_000);
  expect(streams).toHaveLength(2);
  expect(told).toHaveLength(1);
  expect(sent).toHaveLength(4);
  // The stream can be opened, and reports are refused again: nothing new to say.
  await clock.advance(6 * 60_000);
  streams[2]!.line({ stream: 'c' });
  streams[2]!.line({ isWanted: true });
  await clock.advance(5 * 60_000);
  expect(sent.at(-1)!.path).toBe('/console/reports/c');
  expect(told).toHaveLength(1);
  await end();
});

test('a report that is too large keeps its newest reconciles', () => {
  const trace = (id: number) => ({
    id,
    controller: 'site',
    name: 'n'.repeat(200),
    reasons: [],
    startedMs: 0,
    failures: 0,
    steps: [],
    omittedSteps: 0,
  });
  const queue = Array.from({ length: 50 }, () => ({ name: 'ö'.repeat(100), state: 'ready' as const, failures: 0 }));
  const report: OperatorReport = {
    operator: 'shop/1',
    name: 'shop',
    pid: 1,
    isControlPlane: false,
    isLeader: true,
    controllers: [{ name: 'site', ready: 0, delayed: 0, active: 0, queue }],
    caches: [],
    traces: Array.from({ length: 150 }, (_, id) => trace(id)),
    omittedTraces: 2,
  };
  for (const [maxBytes, count, queued] of [
    [1_000_000, 100, 50],
    [20_000, 14, 50],
    [5_000, 14, 0],
  ] as const) {
    const bytes = fitted(report, maxBytes);
    const read = JSON.parse(Buffer.from(bytes).toString()) as OperatorReport;
    expect(bytes.length).toBeLessThanOrEqual(maxBytes);
    expect(read.controllers[0]!.queue).toHaveLength(queued);
    expect([read.traces.length > 0, read.traces.length]).toEqual([true, count === 100 ? 100 : read.traces.length]);
    expect(read.traces.at(-1)!.id).toBe(149);
    expect(read.omittedTraces).toBe(2 + 150 - read.traces.length);
  }
});
