import { SteppedClock } from '@pintle/async';
import type { CachedClient, SharedInformers } from '@pintle/client';
import { expect, test } from 'vitest';
import { Controller } from './controller.ts';

/** A clock by which every look takes long. */
class SlowClock extends SteppedClock {
  #ms = 0;

  override monotonic(): number {
    this.#ms += 1_000;
    return this.#ms;
  }
}

test('workers that pause go on together, however long each of them took', async () => {
  const heard: string[] = [];
  const stop = new AbortController();
  const dependencies = {
    client: {} as CachedClient,
    informers: {} as SharedInformers,
    clock: new SlowClock(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  const controller = new Controller(dependencies, { name: 'three', concurrency: 3 }, async ({ name }) => {
    heard.push(`+${name}`);
    for (let turns = name.charCodeAt(0) % 3; turns >= 0; turns--) await undefined;
    heard.push(`-${name}`);
    if (heard.length === 12) stop.abort();
  });
  for (const name of 'abcdef') controller.enqueue({ name });

  await controller.run({ signal: stop.signal });

  expect(heard.slice(0, 3).join(' ')).toBe('+a +b +c');
  expect(heard.slice(6, 9).join(' ')).toBe('+d +e +f');
});

test('objects that fail in the same place are told with one stack', async () => {
  const warned: object[] = [];
  const stop = new AbortController();
  const dependencies = {
    client: {} as CachedClient,
    informers: {} as SharedInformers,
    clock: new SteppedClock(),
    log: {
      info: () => undefined,
      warn: (_: string, fields: object = {}) => warned.push(fields),
      error: () => undefined,
    },
  };
  const controller = new Controller(dependencies, { name: 'failing' }, async ({ name }) => {
    if (name === 'c') stop.abort();
    throw new TypeError('no basket');
  });
  for (const name of 'abc') controller.enqueue({ name });

  await controller.run({ signal: stop.signal });

  expect(warned.map((fields) => 'stack' in fields)).toEqual([true, false]);
  expect(warned[1]).toMatchObject({ error: 'no basket' });
});
