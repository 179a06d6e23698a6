import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { abortable, onAbort, onceAborted } from './abort.ts';

test('onAbort calls back at once when the signal has aborted already', () => {
  const reasons: unknown[] = [];
  onAbort(AbortSignal.abort('early'), (reason) => reasons.push(reason));
  onAbort(undefined, (reason) => reasons.push(reason));

  expect(reasons).toEqual(['early']);
});

test('onAbort calls nobody back once disposed', () => {
  const stop = new AbortController();
  const reasons: unknown[] = [];
  const listener = onAbort(stop.signal, (reason) => reasons.push(reason));
  onAbort(stop.signal, (reason) => reasons.push(reason));
  listener[Symbol.dispose]();
  stop.abort('late');

  expect(reasons).toEqual(['late']);
});

test('onceAborted resolves with the reason', async () => {
  const stop = new AbortController();
  const aborted = onceAborted(stop.signal);
  stop.abort('over');

  expect(await aborted).toBe('over');
});

test('abortable settles as its promise does and leaves no listener behind', async () => {
  const { signal } = new AbortController();

  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('abortable stops waiting when the signal aborts', async () => {
  const stop = new AbortController();
  const waiting = abortable(new Promise(() => {}), stop.signal);
  stop.abort('enough');

  await expect(waiting).rejects.toBe('enough');
});
