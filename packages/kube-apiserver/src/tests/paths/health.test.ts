import { Health } from '@pintle/apiserver/paths';
import type { RequestState } from '@pintle/apiserver/request';
import { SteppedClock } from '@pintle/async';
import type { Store } from '@pintle/store';
import { openMemoryStore, StoreError } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../testing/open-test-server.ts';

async function openHealth(store?: Store): Promise<{ health: Health; clock: SteppedClock; checked: string[] }> {
  const clock = new SteppedClock();
  const checked: string[] = [];
  const health = new Health({
    store: store ?? (await openMemoryStore({ clock })),
    clock,
    onCheck: (endpoint, name, isOk) => checked.push(`${endpoint} ${name} ${isOk}`),
  });
  return { health, clock, checked };
}

async function ask(health: Health, target: string): Promise<string> {
  const [path = '', query = ''] = target.split('?');
  const response = await health.serve({ query: new URLSearchParams(query) } as RequestState, path);
  return response === undefined ? 'nothing' : `${response.status} ${await textOf(response)}`;
}

const broken = { get: () => Promise.reject(new StoreError({ code: 'Unavailable' } as never)) } as unknown as Store;
const silent = { get: () => new Promise(() => {}) } as unknown as Store;

describe('Health', () => {
  test('names the steps of starting up that stand before others', async () => {
    const { health } = await openHealth();
    const told = await ask(health, '/livez?verbose');
    const before = (step: string, next: string) =>
      expect(told).toMatch(new RegExp(`poststarthook/${step} [^\\n]*\\n...poststarthook/${next} `));
    before('peer-endpoint-reconciler-controller', 'start-cluster-authentication-info-controller');
    before('aggregator-reload-proxy-client-cert', 'start-kube-aggregator-informers');
  });

  test('is alive but not ready until the server has started', async () => {
    const { health } = await openHealth();
    expect(await ask(health, '/livez/ping')).toBe('200 ok');
    expect(await ask(health, '/readyz')).toContain('[-]informer-sync failed: reason withheld\n');
    health.markStarted();
    expect(await ask(health, '/readyz')).toBe('200 ok');
  });

  test('is no longer ready when the server shuts down, and still alive', async () => {
    const { health } = await openHealth();
    health.markStarted();
    health.markShuttingDown();
    expect(await ask(health, '/readyz')).toMatch(
      /^500 [\s\S]*\[-\]shutdown failed: reason withheld\nreadyz check failed\n$/,
    );
    expect(await ask(health, '/readyz/shutdown')).toBe('500 internal server error: reason withheld\n');
    expect(await ask(health, '/livez')).toBe('200 ok');
    expect(await ask(health, '/livez/shutdown')).toBe('404 404 page not found\n');
  });

  test('reads the store, and says no more than that it failed', async () => {
    const { health, checked } = await openHealth(broken);
    health.markStarted();
    expect(await ask(health, '/healthz')).toContain('certificate ok\n[-]etcd failed: reason withheld\n');
    expect(await ask(health, '/healthz?exclude=etcd')).toBe('200 ok');
    expect(checked).toContain('healthz etcd false');
  });

  test('gives up on a store that does not answer', async () => {
    const { health, clock } = await openHealth(silent);
    const asked = ask(health, '/livez/etcd');
    await clock.advance(2_000);
    expect(await asked).toBe('500 internal server error: reason withheld\n');
  });

  describe('is ready only while the store takes writes', () => {
    const ready = '/readyz/etcd-readiness';
    async function openWith(commit: (store: Store) => Store['commit']) {
      const store = await openMemoryStore({ clock: new SteppedClock() });
      const get: Store['get'] = (key, options) => store.get(key, options);
      return await openHealth({ get, commit: commit(store) } as Store);
    }

    test.each(['NoSpace', 'Unavailable'])('%s', async (code) => {
      const { health } = await openWith(() => () => Promise.reject(new StoreError({ code } as never)));
      health.markStarted();
      expect(await ask(health, '/readyz')).toContain('[+]etcd ok\n[-]etcd-readiness failed: reason withheld\n');
      expect(await ask(health, '/livez')).toBe('200 ok');
      expect(await ask(health, '/healthz')).toBe('200 ok');
    });

    test('one that forgets what it took, or never answers', async () => {
      const { health } = await openWith((store) => async () => ({ revision: store.revision }));
      expect(await ask(health, ready)).toMatch(/^500/);
      const stuck = await openWith(() => () => new Promise(() => {}));
      for (let time = 0; time < 2; time++) {
        const asked = ask(stuck.health, ready);
        await stuck.clock.advance(1_000);
        expect(await asked).toMatch(/^500/);
      }
    });

    test('what is proved holds for a second, and whoever asks meanwhile does not make it work', async () => {
      let commits = 0;
      let isFull = false;
      const { health, clock } = await openWith((store) => async (operations) => {
        commits++;
        if (isFull) throw new StoreError({ code: 'NoSpace' });
        return await store.commit(operations);
      });
      expect(await Promise.all([1, 2, 3].map(() => ask(health, ready)))).toEqual(Array(3).fill('200 ok'));
      isFull = true;
      expect(await ask(health, ready)).toBe('200 ok');
      expect(commits).toBe(1);
      await clock.advance(1_000);
      expect(await ask(health, ready)).toMatch(/^500/);
      isFull = false;
      expect(await ask(health, ready)).toBe('200 ok');
    });
  });

  test('is as verbose as asked', async () => {
    const { health } = await openHealth();
    health.markStarted();
    expect(await ask(health, '/livez?verbose')).toMatch(/^200 \[\+\]ping ok\n[\s\S]*\nlivez check passed\n$/);
    const text = await ask(health, '/livez?verbose&exclude=ping&exclude=b&exclude=a');
    expect(text).toContain('[+]ping excluded: ok\n');
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "a","b"\n');
  });
});
