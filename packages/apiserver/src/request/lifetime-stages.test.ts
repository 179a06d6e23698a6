import { SteppedClock } from '@pintle/async';
import { expect, test, vi } from 'vitest';
import type { ApiRequest } from './exchange.ts';
import { deadlineStage } from './lifetime-stages.ts';
import type { RequestState } from './pipeline.ts';
import { onRequestEnd } from './request-end.ts';

/** A list that is not answered until its time is over, as its verb sees it. */
function open() {
  const clock = new SteppedClock();
  const listeners = new Set<() => void>();
  const getSignal = vi.fn(() => new AbortController().signal);
  const request = {
    method: 'GET',
    get signal() {
      return getSignal();
    },
    onEnd(callback: () => void) {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
  } as unknown as ApiRequest;
  const info = { kind: 'resource', verb: 'list' };
  const state = { request, info, query: new URLSearchParams('timeout=2s') } as unknown as RequestState;
  let seen: ApiRequest | undefined;
  const response = deadlineStage(clock)(state, (limited) => {
    seen = limited.request;
    return new Promise(() => undefined);
  });
  const answered = Promise.resolve(response).catch((error: Error) => error.message);
  const leave = () => {
    for (const listener of [...listeners]) listener();
  };
  return { clock, listeners, getSignal, leave, answered, request: seen! };
}

test('the end of the request is told of without a signal', () => {
  const { request, leave, getSignal } = open();
  const ended = vi.fn();
  onRequestEnd(request, ended);
  leave();
  leave();
  expect(ended).toHaveBeenCalledTimes(1);
  expect(getSignal).not.toHaveBeenCalled();
});

test('so is the end of its time, at once to those who ask later', async () => {
  const { request, clock, leave, answered, listeners } = open();
  const [early, late, stopped] = [vi.fn(), vi.fn(), vi.fn()];
  onRequestEnd(request, early);
  onRequestEnd(request, stopped)();
  await clock.advance(2_000);
  expect(await answered).toContain('did not complete within requested timeout');
  onRequestEnd(request, late)();
  leave();
  expect([early, late, stopped].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
  expect(listeners.size).toBe(1);
});
