import { SeededRandom, SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { rateLimit } from './rate-limit.ts';
import { type RetryOptions, retry } from './retry.ts';
import type { TransportResponse } from './transport.ts';

type Step = ClientError | { readonly status: number; readonly retryAfter?: string };
const away = (isSent: boolean) => new ClientError({ code: 'Unreachable', server: 'https://x', isSent });
const busy = (retryAfter?: string, status = 429): Step => ({ status, ...(retryAfter && { retryAfter }) });
const fine = { status: 200 };

/** Sends one request to a server that answers by a script; tells how it ended, after how many tries and how long. */
async function send(method: string, steps: readonly Step[], options: RetryOptions = {}): Promise<string> {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const interceptor = retry({ clock, random: new SeededRandom(1), ...options });
  let tries = 0;
  const next = async (): Promise<TransportResponse> => {
    const step = steps[Math.min(tries++, steps.length - 1)]!;
    if (step instanceof ClientError) throw step;
    return { status: step.status, headers: { 'retry-after': step.retryAfter }, body: new Uint8Array() };
  };
  const ended = interceptor({ method, path: '/' }, next).then(
    ({ status }) => `${status}`,
    (error: ClientError) => error.failure.code,
  );
  const outcome = await clock.advanceUntil(ended);
  return `${outcome} after ${tries} in ${Math.floor(clock.monotonic() / 1_000)} s`;
}

test('a write that was put off is made again when the server said', async () => {
  expect(await send('POST', [busy('2'), busy('3', 503), fine])).toBe('200 after 3 in 5 s');
});
test('the server may name a date', async () => {
  expect(await send('POST', [busy('Thu, 01 Jan 2026 00:00:07 GMT'), fine])).toBe('200 after 2 in 7 s');
});
test('a refusal without a time is an answer', async () => {
  expect(await send('GET', [busy(), fine])).toBe('429 after 1 in 0 s');
  expect(await send('GET', [{ status: 500, retryAfter: '1' }, fine])).toBe('500 after 1 in 0 s');
});
test('no server keeps a client waiting for more than five minutes, whether it names seconds or a date', async () => {
  expect(await send('GET', [busy('300'), fine])).toBe('200 after 2 in 300 s');
  expect(await send('GET', [busy('301'), fine])).toBe('429 after 1 in 0 s');
  expect(await send('GET', [busy('Thu, 01 Jan 2026 00:05:00 GMT'), fine])).toBe('200 after 2 in 300 s');
  expect(await send('GET', [busy('Thu, 01 Jan 2026 00:05:01 GMT'), fine])).toBe('429 after 1 in 0 s');
  expect(await send('GET', [busy('999999999'), fine])).toBe('429 after 1 in 0 s');
  expect(await send('GET', [busy('31'), fine], { maxWaitMs: 30_000 })).toBe('429 after 1 in 0 s');
});
test('patience ends', async () => {
  expect(await send('GET', [busy('1')])).toBe('429 after 11 in 10 s');
  expect(await send('GET', [busy('1')], { maxRetries: 0 })).toBe('429 after 1 in 0 s');
});
test('a read is made again when the connection breaks, a write only when it was never sent', async () => {
  expect(await send('GET', [away(true), away(true), fine])).toBe('200 after 3 in 0 s');
  expect(await send('POST', [away(false), fine])).toBe('200 after 2 in 0 s');
  expect(await send('POST', [away(true), fine])).toBe('Unreachable after 1 in 0 s');
  expect(await send('GET', [away(true)])).toBe('Unreachable after 4 in 0 s');
});

test('a request that is no longer wanted is not tried again', async () => {
  const clock = new SteppedClock();
  const stop = new AbortController();
  const response = { status: 429, headers: { 'retry-after': '5' }, body: new Uint8Array() };
  const sent = retry({ clock })({ method: 'GET', path: '/', signal: stop.signal }, async () => response);
  const ended = expect(sent).rejects.toThrow('enough');
  await clock.advance(1_000);
  stop.abort(new Error('enough'));
  await ended;
  expect(clock.pendingTimers).toBe(0);
});

test('a rate limit lets a burst through and then holds back', async () => {
  const clock = new SteppedClock();
  const limit = rateLimit({ requestsPerSecond: 2, burst: 3, clock });
  const sentAt: number[] = [];
  const next = async () => {
    sentAt.push(clock.monotonic());
    return { status: 200, headers: {}, body: new Uint8Array() };
  };
  const all = Promise.all([1, 2, 3, 4, 5].map(() => limit({ method: 'GET', path: '/' }, next)));
  await clock.advanceUntil(all);
  expect(sentAt).toEqual([0, 0, 0, 500, 1_000]);
});
