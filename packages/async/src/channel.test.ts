import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Channel } from './channel.ts';
import { Fifo } from './fifo.ts';

async function all<T>(channel: Channel<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of channel) values.push(value);
  return values;
}

test('Channel hands values over in the order they were sent', async () => {
  const channel = new Channel<number>(2);
  const received = all(channel);
  for (let value = 0; value < 100; value++) await channel.send(value);
  channel.close();

  expect(await received).toEqual(Array.from({ length: 100 }, (_, index) => index));
});

test('Channel refuses with trySend and waits with send when it is full', async () => {
  const channel = new Channel<string>(1);
  expect(channel.trySend('a')).toBe(true);
  expect(channel.trySend('b')).toBe(false);
  let isSent = false;
  const sending = channel.send('c').then(() => {
    isSent = true;
  });
  await Promise.resolve();
  expect(isSent).toBe(false);

  expect(await channel.receive()).toEqual({ done: false, value: 'a' });
  await sending;
  expect(await channel.receive()).toEqual({ done: false, value: 'c' });
});

test('Channel gives a value straight to whoever waits', async () => {
  const channel = new Channel<string>(1);
  const first = channel.receive();
  const second = channel.receive();
  channel.trySend('a');
  channel.trySend('b');

  expect([await first, await second].map((result) => result.value)).toEqual(['a', 'b']);
  expect(channel.size).toBe(0);
});

test('Channel can be emptied after it was closed', async () => {
  const channel = new Channel<string>(2);
  channel.trySend('a');
  channel.close();
  channel.close();

  expect(channel.trySend('b')).toBe(false);
  await expect(channel.send('b')).rejects.toMatchObject({ failure: { code: 'ChannelClosed' } });
  expect(await all(channel)).toEqual(['a']);
});

test('Channel ends with the error it was failed with, after its values', async () => {
  const channel = new Channel<string>(2);
  channel.trySend('a');
  channel.fail(new Error('broken'));

  expect((await channel.receive()).value).toBe('a');
  await expect(channel.receive()).rejects.toThrow('broken');
});

test('Channel tells everybody who waits when it closes', async () => {
  const full = new Channel<string>(1);
  full.trySend('a');
  const sending = full.send('b');
  full.close();
  await expect(sending).rejects.toMatchObject({ failure: { code: 'ChannelClosed' } });

  const empty = new Channel<string>(1);
  const receiving = empty.receive();
  const failing = new Channel<string>(1);
  const receivingFailure = failing.receive();
  empty.close();
  failing.fail('broken');
  expect(await receiving).toEqual({ done: true, value: undefined });
  await expect(receivingFailure).rejects.toBe('broken');
});

test('Channel is closed and emptied by leaving its loop', async () => {
  const channel = new Channel<number>(5);
  for (const value of [1, 2, 3]) channel.trySend(value);
  for await (const value of channel) if (value === 2) break;

  expect(channel.isClosed).toBe(true);
  expect(channel.size).toBe(0);
});

describe('Channel and signals', () => {
  test('whoever stops waiting loses its place and nothing else', async () => {
    const channel = new Channel<string>(1);
    channel.trySend('a');
    const stop = new AbortController();
    const stopped = channel.send('b', { signal: stop.signal });
    const sending = channel.send('c');
    stop.abort('enough');

    await expect(stopped).rejects.toBe('enough');
    expect((await channel.receive()).value).toBe('a');
    await sending;
    expect((await channel.receive()).value).toBe('c');
  });

  test('a receiver that stopped waiting takes no value', async () => {
    const channel = new Channel<string>(1);
    const stop = new AbortController();
    const stopped = channel.receive({ signal: stop.signal });
    stop.abort('enough');

    await expect(stopped).rejects.toBe('enough');
    channel.trySend('a');
    expect(channel.size).toBe(1);
    await expect(channel.receive({ signal: stop.signal })).rejects.toBe('enough');
    expect(channel.size).toBe(1);
  });

  test('no listener is left behind', async () => {
    const channel = new Channel<string>(1);
    const { signal } = new AbortController();
    const receiving = channel.receive({ signal });
    await channel.send('a', { signal });
    await receiving;

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

test('Channel must hold at least one value', () => {
  expect(() => new Channel(0)).toThrow(RangeError);
});

test('Fifo keeps its order through growth and removals', () => {
  const fifo = new Fifo<number>();
  const taken: (number | undefined)[] = [];
  for (let value = 0; value < 200; value++) {
    fifo.push(value);
    if (value % 3 === 0) taken.push(fifo.shift());
  }
  fifo.remove(100);
  expect([...fifo]).not.toContain(100);
  while (fifo.size > 0) taken.push(fifo.shift());

  expect(taken).toEqual(Array.from({ length: 200 }, (_, index) => index).filter((value) => value !== 100));
  expect(fifo.shift()).toBeUndefined();
});
