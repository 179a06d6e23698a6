import type { CachedClient, Client, SharedInformers } from '@pintle/client';
import {
  addFinalizer,
  bind,
  createToken,
  defineIndex,
  EventRecorder,
  evict,
  getScale,
  logLines,
  logs,
  removeFinalizer,
  setScale,
  untilDeleted,
  waitFor,
} from '@pintle/client';
import type { CallUse, Receiver } from '@pintle/generate';
import { FUNCTION_USES, METHOD_USES, METHODS_WITHOUT_USE } from '@pintle/generate';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Pod, Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { Manager, ReconcileContext } from '@pintle/operator';
import type { ControlPlane } from '@pintle/testing';
import { conflict, startControlPlane } from '@pintle/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Tools {
  readonly manager: Manager;
  readonly ctx: ReconcileContext<Deployment>;
  readonly cachedClient: CachedClient;
  readonly client: Client;
  readonly informers: SharedInformers;
}
type Case = (tools: Tools) => unknown;

const home = { namespace: 'default' };
const there = { ...home, name: 'there' };
const fresh = { ...home, name: 'fresh' };
const body = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
const applying = { fieldManager: 'test', force: true };
const nothing = async (): Promise<void> => undefined;
const first = async (events: AsyncIterable<unknown>): Promise<void> => {
  for await (const _event of events) return;
};

/** One call of each method, on a kind that is not cached. */
const METHOD_CASES: Record<Receiver, Record<string, Case>> = {
  manager: {
    controller: ({ manager }) => manager.controller(Secret).reconcile(nothing),
  },
  builder: {
    owns: ({ manager }) => manager.controller(Deployment, 'other').owns(Secret).reconcile(nothing),
    watches: ({ manager }) =>
      manager
        .controller(Deployment, 'other')
        .watches(Secret, () => [])
        .reconcile(nothing),
    indexes: ({ manager }) =>
      manager
        .controller(Deployment, 'other')
        .indexes(
          Secret,
          defineIndex(Secret, () => ['all']),
        )
        .reconcile(nothing),
  },
  controller: {
    watch: ({ manager }) => manager.controllers[0]?.watch(Secret, () => []),
    watchNow: ({ manager }) => manager.controllers[0]?.watchNow(Secret, () => []),
  },
  client: {
    get: ({ client }) => client.get(Secret, there),
    find: ({ client }) => client.find(Secret, fresh),
    list: ({ client }) => client.list(Secret, home),
    each: ({ client }) => first(client.each(Secret, home)),
    watch: ({ client }) => first(client.watch(Secret, { ...home, resourceVersion: '0' })),
    watchBytes: ({ client }) => client.watchBytes(Secret, { ...home, signal: AbortSignal.timeout(50) }),
    create: ({ client }) => client.create(Secret, { metadata: fresh }),
    update: async ({ client }) => client.update(Secret, await plane.client.get(Secret, there)),
    patch: ({ client }) => client.patch(Secret, there, body),
    apply: ({ client }) => client.apply(Secret, { metadata: fresh }, applying),
    delete: ({ client }) => client.delete(Secret, there),
    deleteAll: ({ client }) => client.deleteAll(Secret, { ...home, labelSelector: 'none=such' }),
  },
  cachedClient: {
    get: ({ cachedClient }) => cachedClient.get(Secret, there),
    find: ({ cachedClient }) => cachedClient.find(Secret, fresh),
    list: ({ cachedClient }) => cachedClient.list(Secret, home),
    listLive: ({ cachedClient }) => cachedClient.listLive(Secret, home),
    create: ({ cachedClient }) => cachedClient.create(Secret, { metadata: fresh }),
    update: async ({ cachedClient }) => cachedClient.update(Secret, await plane.client.get(Secret, there)),
    patch: ({ cachedClient }) => cachedClient.patch(Secret, there, body),
    apply: ({ cachedClient }) => cachedClient.apply(Secret, { metadata: fresh }, applying),
    delete: async ({ cachedClient }) => cachedClient.delete(Secret, await plane.client.get(Secret, there)),
  },
  context: {
    get: ({ ctx }) => ctx.get(Secret, 'there'),
    find: ({ ctx }) => ctx.find(Secret, 'fresh'),
    list: ({ ctx }) => ctx.list(Secret),
    follow: ({ ctx }) => ctx.follow(Secret, 'there'),
    apply: ({ ctx }) => ctx.apply(Secret, { metadata: { name: 'fresh' } }),
    // Written at the end of the reconcile; who is refused reads the object again.
    status: ({ ctx }) => {
      refuseOnce();
      ctx.status({ replicas: 1 });
    },
    condition: ({ ctx }) => {
      refuseOnce();
      ctx.condition({ type: 'Available', status: 'True', reason: 'A', message: 'b' });
    },
    finalize: ({ ctx }) => {
      refuseOnce();
      return ctx.finalize('example.com/test', async () => undefined);
    },
    event: async ({ ctx, manager }) => {
      ctx.event('Normal', 'Tested', 'once');
      ctx.event('Normal', 'Tested', 'once');
      await manager.events.flush();
    },
  },
  informers: {
    share: ({ informers }) => informers.share(Secret).informer.synced,
    shareEach: ({ informers }) => informers.shareEach(Secret)[0]?.informer.synced,
  },
  events: {
    record: async ({ client }) => {
      await using events = new EventRecorder({ client, component: 'test' });
      const object = await plane.client.get(Secret, there);
      for (let times = 0; times < 2; times++)
        events.record(Secret, object, { type: 'Normal', reason: 'Tested', message: 'twice' });
    },
  },
};

const FUNCTION_CASES: Record<string, Case> = {
  waitFor: async ({ client }) => {
    const waiting = waitFor(client, Secret, there, (secret) => secret?.metadata.labels?.a === 'b');
    await plane.eventually(
      () => plane.requests.all({ actor: 'operator', resource: 'secrets', verb: 'watch' }).length > 0,
    );
    await plane.client.patch(Secret, there, body);
    await waiting;
  },
  untilDeleted: async ({ client }) => {
    const waiting = untilDeleted(client, Secret, there);
    await plane.eventually(
      () => plane.requests.all({ actor: 'operator', resource: 'secrets', verb: 'watch' }).length > 0,
    );
    await plane.client.delete(Secret, there);
    await waiting;
  },
  addFinalizer: async ({ client }) => {
    refuseOnce();
    await addFinalizer(client, Secret, await plane.client.get(Secret, there), 'example.com/test');
  },
  removeFinalizer: async ({ client }) => {
    const finalizers = ['example.com/test'];
    await plane.client.patch(Secret, there, { type: 'merge', body: { metadata: { finalizers } } });
    refuseOnce();
    await removeFinalizer(client, Secret, await plane.client.get(Secret, there), 'example.com/test');
  },
  getScale: ({ client }) => getScale(client, Deployment, there),
  setScale: ({ client }) => setScale(client, Deployment, there, 2),
  createToken: ({ client }) => createToken(client, { ...home, name: 'default' }),
  evict: ({ client }) => evict(client, there),
  bind: ({ client }) => bind(client, there, 'a-node'),
  logs: ({ client }) => first(logs(client, there)).catch(() => undefined),
  logLines: ({ client }) => first(logLines(client, there)).catch(() => undefined),
};

/** Rights that are only needed on servers that do less than ours, or for what the recorder of requests does not see. */
const NOT_SEEN: Readonly<Record<string, string>> = {
  share: 'secrets list',
  shareEach: 'secrets list',
  waitFor: 'secrets list',
  untilDeleted: 'secrets list',
  apply: 'deployments/finalizers update',
};
/** Streams go past what sees requests; what a server asks for them is known. Definitions are installed in other tests. */
const NOT_CALLED = ['exec', 'attach', 'portForward', 'installResources'];

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane.close());

function refuseOnce(): void {
  plane.faults.inject({ actor: 'operator', verb: 'patch' }, conflict());
}

/** The rights that a reconcile came to need by a call. */
async function neededBy(call: Case): Promise<string[]> {
  await using here = await startControlPlane();
  plane = here;
  const metadata = there;
  await here.client.create(Secret, { metadata });
  await here.client.create(ServiceAccount, { metadata: { ...home, name: 'default' } });
  const containers = [{ name: 'a', image: 'a' }];
  await here.client.create(Pod, { metadata, spec: { containers } });
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec: { containers } };
  await here.client.create(Deployment, { metadata, spec: { selector: { matchLabels: labels }, template } });
  let before: string[] | undefined;
  let failure: unknown;
  let isDone = false;
  const operator = here.operator((manager) => {
    manager.controller(Deployment).reconcile(async (_deployment, ctx) => {
      if (before !== undefined) return;
      before = usesOf(manager.clusterRole().rules);
      const { client: cachedClient, live: client } = ctx;
      try {
        await call({ manager, ctx, cachedClient, client, informers: manager.informers });
      } catch (error) {
        failure = error;
      }
      isDone = true;
    });
  });
  await here.eventually(() => isDone);
  if (failure !== undefined) throw failure;
  await here.untilIdle();
  return usesOf(operator.manager.clusterRole().rules).filter((use) => !before?.includes(use));
}

function usesOf(rules: readonly PolicyRule[] = []): string[] {
  return rules
    .flatMap(({ resources = [], verbs }) => resources.flatMap((each) => verbs.map((verb) => `${each} ${verb}`)))
    .sort();
}

function told(name: string, { kind, verbs, subresource, objectVerbs = [], setsOwner }: CallUse): string[] {
  const isScale = subresource === 'scale';
  const plural = typeof kind === 'object' ? kind.plural : kind === 'own' || isScale ? 'deployments' : 'secrets';
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return [
    ...verbs.map((verb) => `${resource} ${verb}`),
    ...objectVerbs.map((verb) => `${plural} ${verb}`),
    ...(setsOwner ? ['deployments/finalizers update'] : []),
  ]
    .filter((use) => NOT_SEEN[name] !== use)
    .sort();
}

const methods = Object.entries(METHOD_USES).flatMap(([receiver, uses]) =>
  Object.entries(uses).map(([name, use]) => [receiver as Receiver, name, use] as const),
);
const functions = Object.values(FUNCTION_USES).flatMap((uses) =>
  Object.entries(uses).filter(([name]) => !NOT_CALLED.includes(name)),
);

describe('the rights that are told of a call are those it needs', () => {
  test.each(methods)('%s.%s', async (receiver, name, use) => {
    const call = METHOD_CASES[receiver][name];
    expect(call, 'there is a case for it').toBeDefined();
    expect(await neededBy(call!)).toEqual(told(name, use));
  });

  test.each(functions)('%s', async (name, use) => {
    const call = FUNCTION_CASES[name];
    expect(call, 'there is a case for it').toBeDefined();
    expect(await neededBy(call!)).toEqual(told(name, use));
  });
});

test('every method of what asks a server is known to need rights, or none', async () => {
  const found: Partial<Record<Receiver, object>> = {};
  await neededBy(({ manager, ctx, cachedClient, client, informers }) => {
    const [controller] = manager.controllers;
    const builder = manager.controller(Deployment, 'other');
    Object.assign(found, { manager, builder, controller, client, cachedClient, context: ctx, informers });
    Object.assign(found, { events: manager.events });
  });
  for (const [receiver, object] of Object.entries(found) as [Receiver, object][]) {
    const known = [...Object.keys(METHOD_USES[receiver]), ...METHODS_WITHOUT_USE[receiver]];
    expect([...methodsOf(object)].sort(), receiver).toEqual(known.sort());
  }
});

/** Returns the names of an object's methods, inherited ones included. */
function methodsOf(object: object): Set<string> {
  const names = new Set<string>();
  for (
    let prototype = Object.getPrototypeOf(object) as object;
    prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype) as object
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name);
  }
  return names;
}
