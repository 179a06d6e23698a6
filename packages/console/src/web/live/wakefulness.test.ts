import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { pause } from '../state/pause.ts';
import { Wakefulness } from './wakefulness.ts';

test('waiting for the end of a rest leaves nothing behind, however often', async () => {
  const wakefulness = new Wakefulness();
  const { signal } = new AbortController();
  for (let round = 0; round < 5; round++) {
    wakefulness.rest();
    const seen = wakefulness.seen(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    wakefulness.wake();
    await seen;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  }
});

test('who no longer waits is not kept by the rest', async () => {
  const wakefulness = new Wakefulness();
  wakefulness.rest();
  const stop = new AbortController();
  const seen = wakefulness.seen(stop.signal);
  stop.abort();
  await seen;
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  wakefulness.wake();
  await wakefulness.seen(new AbortController().signal);
});

test('a rest follows a rest', async () => {
  const wakefulness = new Wakefulness();
  const first = wakefulness.signal;
  wakefulness.rest();
  wakefulness.wake();
  expect([first.aborted, wakefulness.signal.aborted]).toEqual([true, false]);
});

test('a pause that is over has left its signal', async () => {
  const { signal } = new AbortController();
  await pause(0, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
