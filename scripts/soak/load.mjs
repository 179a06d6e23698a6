// The load of the soak test. Each worker repeats one kind of work until it is stopped, and leaves nothing behind: the number of
// objects has a bound, so that memory that grows is a leak.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Informer } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { resourceType } from '@pintle/machinery';
import { isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { Fruit } from './operator.mjs';

const NAMESPACE = 'default';
const NAMES = 40;

/**
 * Starts all workers. `stop` ends them and resolves when they have cleaned up; `counts` has the number of their rounds. `pace` shortens
 * what they wait.
 */
export function startLoad(connect, { seed, pace = 1 }) {
  const stop = new AbortController();
  // Every worker waits with it.
  setMaxListeners(0, stop.signal);
  const counts = {};
  const failures = [];
  const workers = Object.entries(WORKERS).flatMap(([name, { copies, pauseMs, round }]) =>
    Array.from({ length: copies }, async (_, copy) => {
      const client = await connect();
      const random = generator(seed * 1_000 + copy * 17 + name.length);
      for (let i = 0; !stop.signal.aborted; i++) {
        try {
          await round({ client, random, copy, i, pace, signal: stop.signal });
          counts[name] = (counts[name] ?? 0) + 1;
        } catch (error) {
          const isExpected = isConflict(error) || isNotFound(error) || isAlreadyExists(error);
          if (!stop.signal.aborted && !isExpected) failures.push(`${name}: ${error.message}`);
        }
        await sleep(pauseMs / pace, undefined, { signal: stop.signal }).catch(() => undefined);
      }
      await client.close();
    }),
  );
  return {
    counts,
    failures,
    async stop() {
      stop.abort();
      await Promise.all(workers);
    },
  };
}

const WORKERS = {
  writes: {
    copies: 2,
    pauseMs: 25,
    async round({ client, random, copy }) {
      const ref = { namespace: NAMESPACE, name: `soak-${copy}-${Math.floor(random() * NAMES)}` };
      const data = { text: 'x'.repeat(Math.floor(random() * 2_000)) };
      const choice = random();
      if (choice < 0.4) await client.create(ConfigMap, { metadata: ref, data });
      else if (choice < 0.6) await client.patch(ConfigMap, ref, { type: 'merge', body: { data } });
      else if (choice < 0.8)
        await client.apply(ConfigMap, { metadata: ref, data }, { fieldManager: 'soak', force: true });
      else await client.delete(ConfigMap, ref);
    },
  },
  watches: {
    copies: 4,
    pauseMs: 10,
    async round({ client, random, pace, signal }) {
      const end = endAfter((50 + Math.floor(random() * 2_000)) / pace, signal);
      try {
        for await (const _ of client.watch(ConfigMap, { namespace: NAMESPACE, signal: end }));
      } catch (error) {
        if (!end.aborted) throw error;
      }
    },
  },
  informers: {
    copies: 1,
    pauseMs: 100,
    async round({ client, random, pace, signal }) {
      const end = endAfter((1_000 + Math.floor(random() * 4_000)) / pace, signal);
      const informer = new Informer({ client, type: Fruit });
      await informer.run({ signal: end });
    },
  },
  connections: {
    copies: 1,
    pauseMs: 200,
    async round({ client }) {
      await client.list(ConfigMap, { namespace: NAMESPACE, limit: 10 });
    },
  },
  operator: {
    copies: 1,
    pauseMs: 50,
    async round({ client, random }) {
      const ref = { namespace: NAMESPACE, name: `fruit-${Math.floor(random() * NAMES)}` };
      const spec = { weight: Math.floor(random() * 200) };
      const choice = random();
      if (choice < 0.5) await client.create(Fruit, { metadata: ref, spec });
      else if (choice < 0.8) await client.patch(Fruit, ref, { type: 'merge', body: { spec } });
      else await client.delete(Fruit, ref);
    },
  },
  deployments: {
    copies: 1,
    pauseMs: 3_000,
    async round({ client, i, pace, signal }) {
      const ref = { namespace: NAMESPACE, name: `web-${i % 3}` };
      const labels = { app: ref.name };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
      await client.create(Deployment, {
        metadata: ref,
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      });
      await sleep(2_000 / pace, undefined, { signal }).catch(() => undefined);
      await client.delete(Deployment, ref, { propagationPolicy: 'Background' });
    },
  },
  // Events of the others would be there for an hour.
  events: {
    copies: 1,
    pauseMs: 5_000,
    async round({ client }) {
      await removeEvents(client);
    },
  },
  definitions: {
    copies: 1,
    pauseMs: 2_000,
    async round({ client, i, pace, signal }) {
      const plural = `things${i % 3}`;
      const kind = `Thing${i % 3}`;
      const metadata = { name: `${plural}.soak.example.com` };
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { a: { type: 'integer' } } } },
        },
      };
      await client.create(CustomResourceDefinition, {
        metadata,
        spec: {
          group: 'soak.example.com',
          scope: 'Namespaced',
          names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      const type = resourceType({ group: 'soak.example.com', version: 'v1', kind, plural, scope: 'Namespaced' });
      await sleep(1_000 / pace, undefined, { signal }).catch(() => undefined);
      try {
        for (let n = 0; n < 5; n++)
          await client.create(type, { metadata: { namespace: NAMESPACE, name: `thing-${n}` }, spec: { a: n } });
      } finally {
        await client.delete(CustomResourceDefinition, metadata);
      }
    },
  },
};

/**
 * Returns a signal that aborts after that time, or with `signal`. (The signal of `AbortSignal.timeout` may be collected, and never
 * abort, when only `AbortSignal.any` refers to it.)
 */
function endAfter(ms, signal) {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), ms);
  const stop = () => end.abort();
  signal.addEventListener('abort', stop, { once: true });
  end.signal.addEventListener('abort', () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
  return end.signal;
}

/** Deletes all objects of the load, so that a server at rest holds the same each time. */
export async function removeAll(client) {
  await removeEvents(client);
  for (const type of [Fruit, Deployment, ConfigMap]) {
    for await (const { metadata } of client.each(type, { namespace: NAMESPACE })) {
      if (metadata.name === 'kube-root-ca.crt') continue;
      await client.delete(type, metadata, { propagationPolicy: 'Background' }).catch(() => undefined);
    }
  }
}

async function removeEvents(client) {
  const { body } = await client.send({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}/events` });
  for await (const _ of body);
}

/** Returns random numbers from 0 to 1 by a seed (mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
