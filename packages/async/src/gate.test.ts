import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Gate } from './gate.ts';

test('Gate lets everybody through who waited when it opened', async () => {
  const gate = new Gate();
  const waiting = Promise.all([gate.wait(), gate.wait()]);
  gate.open();
  gate.close();

  await waiting;
  expect(gate.isOpen).toBe(false);
});

test('Gate lets through at once while it is open', async () => {
  const gate = new Gate({ isOpen: true });

  await gate.wait();
});

test('Gate stops waiting when told to, and forgets who waited', async () => {
  const gate = new Gate();
  const stop = new AbortController();
  const waiting = gate.wait({ signal: stop.signal });
  stop.abort('enough');

  await expect(waiting).rejects.toBe('enough');
  await expect(gate.wait({ signal: stop.signal })).rejects.toBe('enough');
});

test('Gate leaves no listener behind', async () => {
  const gate = new Gate();
  const { signal } = new AbortController();
  const waiting = gate.wait({ signal });
  gate.open();
  await waiting;

  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
