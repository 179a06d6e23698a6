import { runInNextTurn, yieldToEventLoop } from '@pintle/async';
import { expect, test } from 'vitest';
import { afterResponses, afterTurn } from './batching.ts';

test('bodies leave after the responses of their turn', async () => {
  const order: string[] = [];
  afterTurn(() => order.push('event'));
  afterResponses(() => order.push('response'));
  await yieldToEventLoop();
  expect(order).toEqual(['response', 'event']);
});

test('many bodies leave in order, in several turns of which each has room for other work', async () => {
  const sent: number[] = [];
  const seenByOthers: number[] = [];
  for (let body = 0; body < 200; body++) afterTurn(() => sent.push(body));
  const look = (): void => {
    seenByOthers.push(sent.length);
    if (sent.length < 200) runInNextTurn(look);
  };
  runInNextTurn(look);
  while (sent.length < 200) await yieldToEventLoop();
  expect(sent).toEqual(Array.from({ length: 200 }, (_, body) => body));
  expect(seenByOthers.slice(0, 3)).toEqual([64, 128, 192]);
});
