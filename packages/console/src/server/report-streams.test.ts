import type { ApiRequest, UserInfo } from '@pintle/apiserver';
import { SteppedClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import type { OperatorReport, ReportFrame, TelemetryEvent } from '../protocol.ts';
import { REPORT_LIMITS } from './read-report.ts';
import { ReportStreams } from './report-streams.ts';
import { TelemetryHub } from './telemetry.ts';

const user = (name: string, extra?: UserInfo['extra']): UserInfo => ({
  username: `system:serviceaccount:shop:${name}`,
  uid: `uid-of-${name}`,
  groups: ['system:authenticated'],
  ...(extra && { extra }),
});
const SHOP = user('shop', { 'authentication.kubernetes.io/pod-name': ['shop-7d9f-x2x1'] });
const THIEF = user('thief');
const BODY = {
  name: 'shop',
  pid: 1,
  isLeader: true,
  controllers: [{ name: 'site', ready: 1, delayed: 0, active: 0, queue: [] }],
  caches: [],
  traces: [],
  omittedTraces: 0,
};
const TRACE = {
  id: 1,
  controller: 'site',
  name: 'web',
  reasons: [],
  startedMs: 0,
  failures: 0,
  steps: [],
  omittedSteps: 0,
};
const STEP = { type: 'write', atMs: 1, resource: 'sites.example.com' };
const HTML = '<img src=x onerror=alert(1)>';

/** Streams as the API passes requests to them, and pages that look. */
function openStreams() {
  const clock = new SteppedClock();
  const errors: unknown[] = [];
  const streams = new ReportStreams({ clock, onError: (error) => errors.push(error) });
  const hub = new TelemetryHub({ clock, sources: [streams] });
  const post = (by: UserInfo, path: string, more: Partial<ApiRequest> = {}) => {
    const request = { method: 'POST', path, query: '', headers: {}, body: new Uint8Array(0), ...more };
    const { signal = new AbortController().signal } = more;
    return streams.serve({ ...request, signal, peer: { address: '10.0.0.1' } }, by, path);
  };
  const open = async (by: UserInfo, instance = 'a') => {
    const gone = new AbortController();
    const query = `instance=${instance}&host=somewhere`;
    const response = await post(by, '/console/reports', { query, signal: gone.signal });
    if (response.body instanceof Uint8Array) return { status: response.status, read: async () => undefined, id: '' };
    const lines = response.body[Symbol.asyncIterator]();
    const read = async (): Promise<ReportFrame | undefined> => {
      const { done, value } = await lines.next();
      return done ? undefined : JSON.parse(Buffer.from(value).toString());
    };
    const id = (await read())!.stream!;
    return { status: response.status, id, read, leave: () => gone.abort() };
  };
  const report = async (by: UserInfo, id: string, body: unknown = BODY) => {
    await clock.advance(1_000);
    const response = await post(by, `/console/reports/${id}`, { body: Buffer.from(JSON.stringify(body)) });
    return response.status;
  };
  const look = () => {
    const stop = new AbortController();
    const lines = hub.open({ signal: stop.signal });
    const shown = new Map<string, OperatorReport>();
    const traces: (TelemetryEvent & { type: 'traces' })[] = [];
    const read = async (): Promise<void> => {
      const { value } = await lines.next();
      for (const line of Buffer.from(value ?? [])
        .toString()
        .trim()
        .split('\n')) {
        const event = JSON.parse(line) as TelemetryEvent;
        if (event.type === 'operator') shown.set(event.report.operator, event.report);
        if (event.type === 'gone') shown.delete(event.operator);
        if (event.type === 'traces') traces.push(event);
      }
    };
    const leave = async (): Promise<void> => {
      stop.abort();
      await lines.next();
    };
    return { shown, traces, read, leave };
  };
  return { clock, errors, streams, open, post, report, look };
}

test('a stream says when a page looks, and when none does any more', async () => {
  const { open, look, clock } = openStreams();
  const stream = await open(SHOP);
  const next = stream.read();
  const page = look();
  await page.read();
  expect(await next).toEqual({ isWanted: true });
  await page.leave();
  const over = stream.read();
  await clock.advance(60_000);
  // A sign of life may come first.
  const frames = [await over, await stream.read()];
  expect(frames).toContainEqual({ isWanted: false });
});

test('large reports that come together are read in turns', async () => {
  const { open, post } = openStreams();
  const steps = Array.from({ length: 130 }, () => ({ ...STEP, resource: '\u202e\u200b'.repeat(100) }));
  const body = Buffer.from(JSON.stringify({ ...BODY, traces: [1, 2, 3].map((id) => ({ ...TRACE, id, steps })) }));
  const streams = [];
  for (let index = 0; index < 30; index++) streams.push(await open(SHOP, `${index}`));
  const turns: number[] = [];
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const reports = streams.map(async ({ id }) => {
    const { status } = await post(SHOP, `/console/reports/${id}`, { body });
    turns.push(turn);
    return status;
  });
  expect(new Set(await Promise.all(reports))).toEqual(new Set([200]));
  isDone = true;
  expect(new Set(turns).size).toBe(30);
});

test('while nobody looks a stream carries a sign of life every 30 seconds, and ends after ten minutes', async () => {
  const { open, clock } = openStreams();
  const stream = await open(SHOP);
  const frames: ReportFrame[] = [];
  const reading = (async () => {
    for (let frame = await stream.read(); frame !== undefined; frame = await stream.read()) frames.push(frame);
  })();
  await clock.advance(9 * 60_000);
  expect(frames).toHaveLength(18);
  expect(frames.every((frame) => JSON.stringify(frame) === '{}')).toBe(true);
  await clock.advance(60_000);
  await reading;
});

test('a report is shown under the user that sent it and the pod of its token', async () => {
  const { open, report, look, errors } = openStreams();
  const page = look();
  await page.read();
  const { id } = await open(SHOP);
  expect(await report(SHOP, id, { ...BODY, traces: [TRACE] })).toBe(200);
  await page.read();
  const reporter = { user: 'system:serviceaccount:shop:shop', pod: 'shop-7d9f-x2x1' };
  expect([...page.shown.values()]).toEqual([
    { ...BODY, operator: expect.stringMatching(/^reported\//), reporter, isControlPlane: false },
  ]);
  expect(page.traces).toEqual([expect.objectContaining({ reporter, traces: [TRACE] })]);
  expect(errors).toEqual([]);
});

test.each([
  ['by an hour', 3_600_000, 3_600_000],
  ['by a part of a second, which may be the way', 400, 0],
])('a clock that is ahead %s', async (_, aheadMs, shiftMs) => {
  const { open, report, look, clock } = openStreams();
  const page = look();
  await page.read();
  const { id } = await open(SHOP);
  const sentMs = clock.now() + 1_000 + aheadMs;
  await report(SHOP, id, { ...BODY, sentMs, traces: [{ ...TRACE, startedMs: sentMs - 10_000 }] });
  await page.read();
  expect(page.traces[0]!.traces[0]!.startedMs).toBe(sentMs - 10_000 - shiftMs);
});

test('an operator that says nothing is shown as silent, and after a minute not at all', async () => {
  const { open, report, look, clock } = openStreams();
  const page = look();
  await page.read();
  const { id } = await open(SHOP);
  await report(SHOP, id, { ...BODY, traces: [TRACE] });
  await page.read();
  await clock.advance(6_000);
  await page.read();
  expect([...page.shown.values()]).toEqual([expect.objectContaining({ isSilent: true })]);
  await report(SHOP, id);
  await page.read();
  expect([...page.shown.values()][0]).not.toHaveProperty('isSilent');
  await clock.advance(61_000);
  await page.read();
  expect(page.shown.size).toBe(0);
});

test('a stream ends with its request, without a signal, of which the server would have one for each', async () => {
  const { streams } = openStreams();
  const ends = new Set<() => void>();
  const request: ApiRequest = {
    ...{ method: 'POST', path: '/console/reports', query: 'instance=a', headers: {}, body: new Uint8Array(0) },
    peer: { address: '10.0.0.1' },
    get signal() {
      return expect.fail('creates a signal');
    },
    onEnd: (callback) => {
      ends.add(callback);
      return () => void ends.delete(callback);
    },
  };
  const { status, body } = await streams.serve(request, SHOP, '/console/reports');
  expect([status, ends.size]).toEqual([200, 1]);
  const lines = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  await lines.next();
  const next = lines.next();
  for (const end of ends) end();
  expect((await next).done).toBe(true);
  expect(ends.size).toBe(0);
});

test('an operator that opens its stream again is the same one, and its lost stream ends', async () => {
  const { open, report, look } = openStreams();
  const page = look();
  await page.read();
  const first = await open(SHOP);
  await report(SHOP, first.id);
  const second = await open(SHOP);
  expect(await report(SHOP, first.id)).toBe(404);
  await report(SHOP, second.id);
  await page.read();
  expect(page.shown.size).toBe(1);
  while ((await first.read()) !== undefined);
});

describe('an attacker who may report', () => {
  test('cannot pass for the built-in controllers, nor for another user', async () => {
    const { open, report, look } = openStreams();
    const page = look();
    await page.read();
    const { id } = await open(THIEF);
    const forged = {
      ...BODY,
      name: 'pintle',
      operator: 'pintle/1',
      isControlPlane: true,
      isSilent: false,
      reporter: { user: 'system:apiserver' },
      __proto__: { isControlPlane: true },
    };
    expect(await report(THIEF, id, forged)).toBe(200);
    await page.read();
    const [shown] = [...page.shown.values()];
    expect(shown).toMatchObject({
      isControlPlane: false,
      // No token of a pod: the host is what it says.
      reporter: { user: THIEF.username, host: 'somewhere' },
    });
    expect(shown!.operator).toMatch(/^reported\/[\w-]{22}$/);
  });

  test('cannot overwrite the operator of another user, who has the same names', async () => {
    const { open, report, look } = openStreams();
    const page = look();
    await page.read();
    const own = await open(SHOP, 'same');
    await report(SHOP, own.id);
    const stolen = await open(THIEF, 'same');
    expect(await report(THIEF, own.id, { ...BODY, name: 'stolen' })).toBe(404);
    await report(THIEF, stolen.id, { ...BODY, name: 'stolen' });
    expect(await report(SHOP, own.id)).toBe(200);
    // A ServiceAccount that was deleted and created again is another.
    expect(await report({ ...SHOP, uid: 'another' }, own.id)).toBe(404);
    await page.read();
    const shown = Array.from(page.shown.values(), ({ name, reporter }) => [name, reporter?.user]);
    expect(shown.sort()).toEqual([
      ['shop', SHOP.username],
      ['stolen', THIEF.username],
    ]);
  });

  test('cannot fill memory: with a report, with many reports, nor with many operators', async () => {
    const { open, report, look, post, clock } = openStreams();
    const page = look();
    await page.read();
    const { id } = await open(THIEF);
    expect(await report(THIEF, id, { ...BODY, name: 'x'.repeat(300 * 1024) })).toBe(413);
    const long = 'n'.repeat(2_000);
    const many = {
      ...BODY,
      name: long,
      controllers: Array.from({ length: 200 }, () => ({
        ...BODY.controllers[0],
        queue: Array.from({ length: 60 }, () => ({ name: 'q', state: 'ready', failures: 0 })),
      })),
    };
    expect(await report(THIEF, id, many)).toBe(413);
    many.controllers.splice(101);
    many.controllers.forEach(({ queue }, index) => {
      if (index > 0) queue.length = 0;
    });
    expect(await report(THIEF, id, many)).toBe(200);
    await page.read();
    const [shown] = [...page.shown.values()];
    expect(shown!.name).toHaveLength(REPORT_LIMITS.name + 1);
    expect(shown!.controllers).toHaveLength(REPORT_LIMITS.controllers);
    expect(shown!.controllers[0]!.queue).toHaveLength(REPORT_LIMITS.queued);

    const traces = Array.from({ length: 150 }, (_, index) => ({ ...TRACE, id: index }));
    const steps = Array.from({ length: 250 }, () => STEP);
    await report(THIEF, id, { ...BODY, traces: [...traces, { ...TRACE, id: 1_000 }] });
    await report(THIEF, id, { ...BODY, traces: [{ ...TRACE, id: 2_000, steps }] });
    await report(THIEF, id, { ...BODY, traces: traces.map((trace) => ({ ...trace, id: trace.id + 3_000 })) });
    const later = look();
    await later.read();
    const kept = later.traces.flatMap(({ traces }) => traces);
    expect(kept).toHaveLength(100);
    await page.read();
    const [cut] = page.traces.flatMap(({ traces }) => traces).filter(({ id }) => id === 2_000);
    expect(cut).toMatchObject({ omittedSteps: 50, steps: { length: 200 } });

    // Reconciles of the future would stay in sentences about the last half minute.
    await report(THIEF, id, { ...BODY, traces: [{ ...TRACE, id: 9_000, startedMs: clock.now() * 2 }] });
    await page.read();
    const future = page.traces.flatMap(({ traces }) => traces).filter(({ id }) => id === 9_000);
    expect(future).toEqual([expect.objectContaining({ startedMs: clock.now() })]);

    // Another at once is too soon.
    await clock.advance(0);
    const body = Buffer.from(JSON.stringify(BODY));
    expect((await post(THIEF, `/console/reports/${id}`, { body })).status).toBe(429);

    const statuses: number[] = [];
    for (let index = 0; index < 40; index++) statuses.push((await open(THIEF, `more-${index}`)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(31);
    expect(statuses.at(-1)).toBe(429);
    // Others are not kept out by it.
    expect((await open(SHOP)).status).toBe(200);
  });

  test('cannot keep out others with operators that come and go, nor show more than 32', async () => {
    const { open, report, look } = openStreams();
    const page = look();
    await page.read();
    const own = await open(SHOP);
    await report(SHOP, own.id);
    for (let index = 0; index < 50; index++) {
      const stream = await open(THIEF, `${index}`);
      expect(await report(THIEF, stream.id)).toBe(200);
      await report(SHOP, own.id);
      stream.leave!();
      await page.read();
    }
    const users = Array.from(page.shown.values(), ({ reporter }) => reporter?.user);
    expect(users.filter((name) => name === SHOP.username)).toHaveLength(1);
    expect(users.filter((name) => name === THIEF.username).length).toBeLessThanOrEqual(32);
  });

  test.each<[string, object]>([
    ['its name', { name: HTML }],
    ['a controller', { controllers: [{ ...BODY.controllers[0], name: HTML }] }],
    ['an error', { traces: [{ ...TRACE, error: HTML }] }],
    ['what hides text', { name: `a\u202eb\u0000c\u2028d\u200be` }],
  ])('sends %s: it stays text, without what nobody sees', async (_, more) => {
    const { open, report, look } = openStreams();
    const page = look();
    await page.read();
    const { id } = await open(THIEF);
    await report(THIEF, id, { ...BODY, ...more });
    await page.read();
    const text = JSON.stringify([[...page.shown.values()], page.traces]);
    expect(text).toContain('name' in more && more.name !== HTML ? 'a b c d e' : HTML);
  });

  test.each<[unknown]>([
    [[]],
    ['text'],
    [null],
    [{}],
    [{ ...BODY, name: {} }],
    [{ ...BODY, controllers: {} }],
    [{ ...BODY, traces: [{ ...TRACE, id: 'x' }] }],
    [{ ...BODY, traces: [{ ...TRACE, outcome: HTML }] }],
    [{ ...BODY, traces: [{ ...TRACE, steps: [{ ...STEP, outcome: 'x' }] }] }],
    [{ ...BODY, omittedTraces: -1 }],
    [{ ...BODY, pid: '1' }],
  ])('is refused with %j', async (body) => {
    const { open, report, look, errors } = openStreams();
    const page = look();
    await page.read();
    const { id } = await open(THIEF);
    expect(await report(THIEF, id, body)).toBe(400);
    expect(page.shown.size).toBe(0);
    expect(errors).toEqual([]);
  });

  test('cannot report as nobody, as a page in a browser, or with another method', async () => {
    const { post } = openStreams();
    const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
    expect((await post(anonymous, '/console/reports')).status).toBe(401);
    expect((await post(SHOP, '/console/reports', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await post(SHOP, '/console/reports', { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(403);
    expect((await post(SHOP, '/console/reports', { method: 'GET' })).status).toBe(405);
    expect((await post(SHOP, '/console/reports/none')).status).toBe(404);
  });
});
