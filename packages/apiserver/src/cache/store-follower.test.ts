import { SteppedClock } from '@pintle/async';
import type { Store, StoreRecord } from '@pintle/store';
import { openMemoryStore, prefixRange } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import { StoreFollower } from './store-follower.ts';

class Keys {
  readonly seen = new Set<string>();
  broken = false;

  clear(): void {
    this.seen.clear();
  }

  put({ key }: StoreRecord): void {
    if (this.broken) throw new Error('unreadable');
    this.seen.add(key);
  }

  remove({ key }: StoreRecord): void {
    this.seen.delete(key);
  }
}

async function follow(store: Store) {
  const keys = new Keys();
  const follower = new StoreFollower(store, prefixRange('a/'), keys);
  const stop = new AbortController();
  await follower.load();
  const running = follower.run({ signal: stop.signal });
  return { keys, follower, running, stop };
}

const put = (store: Store, key: string) => store.commit([{ type: 'put', key, value: new Uint8Array([1]) }]);

describe('A view of the store', () => {
  test('has what was acknowledged, without waiting', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    await put(store, 'a/1');
    const { keys, follower, running, stop } = await follow(store);
    for (let i = 2; i < 200; i++) {
      await put(store, `a/${i}`);
      expect(follower.caughtUp()).toBeUndefined();
      expect(keys.seen.has(`a/${i}`)).toBe(true);
    }
    await put(store, 'b/1');
    expect(follower.caughtUp()).toBeUndefined();
    expect(keys.seen.size).toBe(199);
    stop.abort();
    await running;
  });

  test('fails those who ask for more than it can tell', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const { keys, follower, running } = await follow(store);
    keys.broken = true;
    const failed = expect(running).rejects.toThrow('unreadable');
    await put(store, 'a/1');
    await failed;
    await put(store, 'b/1');
    await expect(follower.caughtUp()).rejects.toThrow('watching the store failed');
  });
});
