import { ConfigMap, Event, Namespace, Secret } from '@pintle/kinds/core/v1';
import type { Manager, Reconcile, Result } from '@pintle/operator';
import { OWNER_ANNOTATION, OWNER_UID_LABEL } from '@pintle/operator';
import type { ControlPlane, ControlPlaneOptions } from '@pintle/testing';
import { conflict, loseAnswer, startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
import { Box, box, Crate, namespace, refTo } from './box.ts';

const GC = ['garbage-collector-controller'];

function start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return startControlPlane({ crds: [Box, Crate], clock: stepped(), ...options });
}

/** A config map for each part, and how many there are. */
const reconcileParts: Reconcile<Box> = async (object, ctx) => {
  const { name = '' } = object.metadata;
  for (const part of object.spec.parts)
    await ctx.apply(ConfigMap, { metadata: { name: `${name}-${part}` }, data: { part } });
  await ctx.prune();
  ctx.status({ parts: object.spec.parts.length });
};

function addBoxes(reconcile: Reconcile<Box, 'Namespaced'> = reconcileParts): (manager: Manager) => void {
  return (manager) => void manager.controller(Box).owns(ConfigMap).reconcile(reconcile);
}

async function namesOf(plane: ControlPlane, labelSelector = ''): Promise<string[]> {
  const { items } = await plane.client.list(ConfigMap, { namespace, labelSelector });
  return items.map(({ metadata }) => metadata.name ?? '').filter((name) => name !== 'kube-root-ca.crt');
}

test('apply makes a child in the namespace of its owner, controlled by it and managed by the controller', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })] });
  plane.operator(addBoxes());
  await plane.untilIdle();
  const owner = await plane.client.get(Box, refTo('b'));
  const { metadata, data } = await plane.client.get(ConfigMap, refTo('b-x'));
  expect(data).toEqual({ part: 'x' });
  expect(metadata.ownerReferences).toEqual([
    {
      apiVersion: 'test.pintle.dev/v1',
      kind: 'Box',
      name: 'b',
      uid: owner.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  expect(metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([['box', 'Apply']]);
});

test('apply sends nothing when nothing would change, and once when a child has new fields', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })] });
  let reconciles = 0;
  const count: Reconcile<Box> = async (object, ctx) => {
    reconciles++;
    await reconcileParts(object, ctx);
  };
  plane.operator(addBoxes(count));
  await plane.untilIdle();
  const [before, place] = [reconciles, plane.requests.length];
  const touch = async (touched: string) => {
    const patch = { type: 'merge', body: { metadata: { labels: { touched } } } } as const;
    await plane.client.patch(ConfigMap, refTo('b-x'), patch);
    await plane.client.patch(Box, refTo('b'), patch);
    await plane.untilIdle();
  };
  await touch('once');
  expect(reconciles).toBeGreaterThan(before);
  plane.requests.since(place).assertWrites(1, { actor: 'operator' });
  await touch('twice');
  plane.requests.since(place).assertWrites(1, { actor: 'operator' });
});

test('apply puts back what others changed, and leaves what others added', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })] });
  plane.operator(addBoxes());
  await plane.untilIdle();
  const body = { data: { part: 'other', more: 'kept' } };
  await plane.client.patch(ConfigMap, refTo('b-x'), { type: 'merge', body });
  await plane.untilIdle();
  expect((await plane.client.get(ConfigMap, refTo('b-x'))).data).toEqual({ part: 'x', more: 'kept' });
});

test('a child that somebody deletes is made again', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })] });
  plane.operator(addBoxes());
  await plane.untilIdle();
  await plane.client.delete(ConfigMap, refTo('b-x'));
  await plane.untilIdle();
  expect(await namesOf(plane)).toEqual(['b-x']);
});

test('fields that are no longer applied are taken away', async () => {
  await using plane = await start({ objects: [box('b', { note: 'one' })] });
  plane.operator(
    addBoxes(async ({ spec }, ctx) => {
      await ctx.apply(ConfigMap, {
        metadata: { name: 'b' },
        data: { always: 'here', ...(spec.note && { note: 'x' }) },
      });
    }),
  );
  await plane.untilIdle();
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { note: null } } });
  await plane.untilIdle();
  expect((await plane.client.get(ConfigMap, refTo('b'))).data).toEqual({ always: 'here' });
});

test('what was sent without an answer counts as sent', async () => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(
    addBoxes(async ({ spec }, ctx) => {
      const data = { always: 'here', ...(spec.note && { note: spec.note }) };
      await ctx.apply(ConfigMap, { metadata: { name: 'b' }, data });
    }),
  );
  await plane.untilIdle();
  const setNote = (note: string | null) =>
    plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { note } } });
  const lost = plane.faults.inject({ actor: 'operator', resource: 'configmaps', verb: 'patch' }, loseAnswer());
  await setNote('x');
  await plane.eventually(() => lost.hits === 1);
  await setNote(null);
  await plane.untilIdle();
  expect((await plane.client.get(ConfigMap, refTo('b'))).data).toEqual({ always: 'here' });
});

test('prune deletes the children that are no longer wanted, and those of nobody else', async () => {
  const stranger = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'stranger' } };
  await using plane = await start({
    objects: [stranger, box('a', { parts: ['x'] }), box('b', { parts: ['x', 'y'] })],
  });
  plane.operator(addBoxes());
  await plane.untilIdle();
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { parts: ['y', 'z'] } } });
  await plane.untilIdle();
  expect(await namesOf(plane)).toEqual(['a-x', 'b-y', 'b-z', 'stranger']);
});

test('children go with their owner', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })], controllers: GC });
  plane.operator(addBoxes());
  await plane.untilIdle();
  await plane.client.delete(Box, refTo('b'));
  await plane.untilGone(ConfigMap, refTo('b-x'));
});

test('a child out of the owner’s namespace is labelled, repaired and pruned', async () => {
  const other = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } };
  await using plane = await start({ objects: [other, box('b', { namespaces: ['other'] })] });
  plane.operator(
    addBoxes(async ({ spec }, ctx) => {
      for (const place of spec.namespaces) await ctx.apply(ConfigMap, { metadata: { namespace: place, name: 'copy' } });
      await ctx.prune();
    }),
  );
  await plane.untilIdle();
  const { metadata } = await plane.client.get(ConfigMap, { namespace: 'other', name: 'copy' });
  const owner = await plane.client.get(Box, refTo('b'));
  expect(metadata.ownerReferences).toBeUndefined();
  expect(metadata.labels?.[OWNER_UID_LABEL]).toBe(owner.metadata.uid);
  expect(metadata.annotations?.[OWNER_ANNOTATION]).toBe('Box.test.pintle.dev/default/b');
  await plane.client.delete(ConfigMap, { namespace: 'other', name: 'copy' });
  await plane.untilIdle();
  expect(await plane.client.find(ConfigMap, { namespace: 'other', name: 'copy' })).toBeDefined();
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { namespaces: [] } } });
  await plane.untilIdle();
  expect(await plane.client.find(ConfigMap, { namespace: 'other', name: 'copy' })).toBeUndefined();
});

test.each([
  ['controller', ConfigMap, 'other', 'a namespaced owner cannot own objects in other namespaces'],
  ['plain', ConfigMap, 'other', 'a namespaced owner cannot own objects in other namespaces'],
  ['controller', Namespace, undefined, 'a namespaced owner cannot own cluster-scoped objects'],
] as const)(
  'a %s reference that Kubernetes forbids is refused with the reason',
  async (ownerReference, type, place, because) => {
    await using plane = await start({ objects: [box('b')] });
    let message = '';
    plane.operator(
      addBoxes(async (_object, ctx) => {
        const metadata = { name: 'x', ...(place && { namespace: place }) };
        await ctx.apply(type as typeof ConfigMap, { metadata }, { ownerReference }).catch((error: Error) => {
          message = error.message;
        });
      }),
    );
    await plane.untilIdle();
    expect(message).toContain(because);
  },
);

test('an owner outside of namespaces owns within them, where it is told which', async () => {
  const crate = { apiVersion: Crate.apiVersion, kind: 'Crate', metadata: { name: 'c' }, spec: {} };
  await using plane = await start({ objects: [crate] });
  const messages: string[] = [];
  plane.operator((manager) => {
    manager
      .controller(Crate)
      .owns(ConfigMap)
      .reconcile(async (_object, ctx) => {
        await ctx.apply(ConfigMap, { metadata: { namespace, name: 'owned' } });
        await ctx
          .apply(ConfigMap, { metadata: { name: 'lost' } })
          .catch((error: Error) => messages.push(error.message));
      });
  });
  await plane.untilIdle();
  const { metadata } = await plane.client.get(ConfigMap, refTo('owned'));
  expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Crate', name: 'c', controller: true });
  expect(messages[0]).toBe('Cannot apply ConfigMap lost: it has no namespace, and neither has its owner, Crate c');
});

test('an object that another controls is left alone, and the error says whose it is', async () => {
  await using plane = await start({ objects: [box('a', { parts: ['x'] })] });
  const messages: string[] = [];
  plane.operator(
    addBoxes(async (object, ctx) => {
      await ctx
        .apply(ConfigMap, { metadata: { name: 'shared' }, data: { by: object.metadata.name ?? '' } })
        .catch((error: Error) => messages.push(error.message));
    }),
  );
  await plane.untilIdle();
  await plane.client.create(Box, { metadata: refTo('b'), spec: {} } as never);
  await plane.untilIdle();
  expect((await plane.client.get(ConfigMap, refTo('shared'))).data).toEqual({ by: 'a' });
  expect(messages[0]).toBe('Cannot apply ConfigMap default/shared: Box a controls it');
});

test('an owner made anew takes over the children of the one before', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })] });
  plane.operator(addBoxes());
  await plane.untilIdle();
  await plane.client.delete(Box, refTo('b'));
  await plane.client.create(Box, { metadata: refTo('b'), spec: { parts: ['x'] } } as never);
  await plane.untilIdle();
  const owner = await plane.client.get(Box, refTo('b'));
  const { metadata } = await plane.client.get(ConfigMap, refTo('b-x'));
  expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([owner.metadata.uid]);
});

test('status is written once, with what all parts of a reconcile said, and not again', async () => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(
    addBoxes(async (_object, ctx) => {
      ctx.status({ parts: 1 });
      ctx.status({ note: 'two' });
      ctx.status((before) => ({ ...before, parts: (before.parts ?? 0) === 1 ? 3 : 4 }));
      ctx.condition({ type: 'Ready', status: 'True', reason: 'AllThere' });
    }),
  );
  await plane.untilIdle();
  plane.requests.assertWrites(1, { actor: 'operator', resource: 'boxes/status' });
  const { status } = await plane.client.get(Box, refTo('b'));
  expect(status).toMatchObject({ parts: 3, note: 'two', observedGeneration: 1 });
  expect(status?.conditions?.[0]).toMatchObject({
    type: 'Ready',
    status: 'True',
    reason: 'AllThere',
    observedGeneration: 1,
  });
  const place = plane.requests.length;
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await plane.untilIdle();
  plane.requests.since(place).assertWrites(0, { actor: 'operator' });
});

test('the transition time of a condition changes with its status alone, its generation with the object', async () => {
  await using plane = await start({ objects: [box('b', { note: 'True' })] });
  plane.operator(
    addBoxes(async ({ spec }, ctx) => {
      const status = spec.note === 'False' ? 'False' : 'True';
      ctx.condition({ type: 'Ready', status, reason: 'Noted', message: spec.note ?? '' });
    }),
  );
  await plane.untilIdle();
  const conditionAfter = async (note: string) => {
    await plane.clock.advance('1m');
    await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { note } } });
    await plane.untilIdle();
    return (await plane.client.get(Box, refTo('b'))).status?.conditions?.[0];
  };
  const first = (await plane.client.get(Box, refTo('b'))).status?.conditions?.[0];
  const second = await conditionAfter('still');
  expect(second).toMatchObject({
    message: 'still',
    observedGeneration: 2,
    lastTransitionTime: first?.lastTransitionTime,
  });
  const third = await conditionAfter('False');
  expect(third?.lastTransitionTime).not.toBe(first?.lastTransitionTime);
  expect(third).toMatchObject({ status: 'False', observedGeneration: 3 });
});

test('conditions of others stay, and a function can take conditions away', async () => {
  await using plane = await start({ objects: [box('b')] });
  const theirs = {
    type: 'Theirs',
    status: 'True' as const,
    reason: 'R',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const body = { status: { conditions: [theirs, { ...theirs, type: 'Old' }] } };
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body }, { subresource: 'status' });
  plane.operator(
    addBoxes(async (_object, ctx) => {
      ctx.condition({ type: 'Ours', status: 'False', reason: 'R' });
      ctx.status((before) => ({
        ...before,
        conditions: (before.conditions ?? []).filter(({ type }) => type !== 'Old'),
      }));
    }),
  );
  await plane.untilIdle();
  const { status } = await plane.client.get(Box, refTo('b'));
  expect(status?.conditions?.map(({ type }) => type)).toEqual(['Theirs', 'Ours']);
});

test('status is written when the reconcile fails, and what failed is what is told', async () => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(
    addBoxes(async (_object, ctx) => {
      ctx.condition({ type: 'Ready', status: 'False', reason: 'Broken' });
      if (ctx.failures < 2) throw new Error('It is broken');
    }),
  );
  await plane.untilIdle();
  expect((await plane.client.get(Box, refTo('b'))).status?.conditions?.[0]).toMatchObject({ reason: 'Broken' });
  plane.requests.assertWrites(1, { actor: 'operator' });
  expect(plane.complaints.join()).toContain('It is broken');
});

test('a status that others wrote meanwhile is said again of what they wrote', async () => {
  await using plane = await start({ objects: [box('b')] });
  const refused = plane.faults.inject({ actor: 'operator', resource: 'boxes/status' }, conflict(), { times: 2 });
  plane.operator(addBoxes());
  await plane.untilMatches(Box, refTo('b'), { status: { parts: 0 } });
  expect(refused.hits).toBe(2);
  expect(plane.complaints).toEqual([]);
});

test('a status that a reconcile of a newer generation wrote meanwhile is left as it is', async () => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(
    addBoxes(async (object, ctx) => {
      if (object.metadata.generation !== 1) return;
      await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { note: 'new' } } });
      const status = { parts: 7, observedGeneration: 2 };
      await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { status } }, { subresource: 'status' });
      ctx.status({ parts: 0 });
    }),
  );
  await plane.untilIdle();
  expect((await plane.client.get(Box, refTo('b'))).status).toEqual({ parts: 7, observedGeneration: 2 });
  expect(plane.complaints).toEqual([]);
});

test('finalize holds the object before work is done, cleans once it is deleted, and lets go', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x'] })] });
  const log: string[] = [];
  plane.operator(
    addBoxes(async (object, ctx) => {
      const clean = async (): Promise<void> => {
        log.push('clean');
        await ctx.prune();
      };
      if (await ctx.finalize('test.pintle.dev/parts', clean)) return;
      log.push((await ctx.live.get(Box, ctx.request)).metadata.finalizers?.join() ?? '');
      await reconcileParts(object, ctx);
    }),
  );
  await plane.untilIdle();
  expect(log[0]).toBe('test.pintle.dev/parts');
  await plane.client.delete(Box, refTo('b'));
  await plane.untilIdle();
  expect(await plane.client.find(Box, refTo('b'))).toBeUndefined();
  expect(await namesOf(plane)).toEqual([]);
  expect(log.filter((line) => line === 'clean')).toHaveLength(1);
  expect(plane.complaints).toEqual([]);
});

test('an object stays while its finalizer fails or is not ready', async () => {
  await using plane = await start({ objects: [box('b')] });
  let tries = 0;
  plane.operator(
    addBoxes(async (_object, ctx) => {
      await ctx.finalize('test.pintle.dev/slow', async () => {
        tries++;
        if (tries === 1) throw new Error('Not now');
        return tries === 2 ? { requeueAfterMs: 60_000 } : undefined;
      });
    }),
  );
  await plane.untilIdle();
  await plane.client.delete(Box, refTo('b'));
  await plane.untilIdle();
  expect(tries).toBe(2);
  expect(await plane.client.find(Box, refTo('b'))).toBeDefined();
  await plane.clock.advance('1m');
  await plane.untilGone(Box, refTo('b'));
  expect(tries).toBe(3);
});

/** A result that the compiler would refuse, as a program has it that nobody compiled. */
const uncompiled = (result: object): Result => result as Result;

test.each<[string, object, string]>([
  ['a name of other tools', { requeueAfter: 5 }, 'requeueAfter has no effect; return { requeueAfterMs }'],
  ['another name', { requeue: true }, 'requeue has no effect; return { requeueAfterMs }'],
  ['no number', { requeueAfterMs: Number.NaN }, 'requeueAfterMs is NaN, and not a number of milliseconds'],
  ['a text', { requeueAfterMs: '5s' }, 'requeueAfterMs is 5s, and not a number of milliseconds'],
])('a result with %s fails, and keeps the finalizer', async (_what, result, message) => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(
    addBoxes(async (_object, ctx) => {
      if (await ctx.finalize('test.pintle.dev/slow', async () => uncompiled(result))) return undefined;
      return uncompiled(result);
    }),
  );
  const told = (): number => plane.complaints.filter((complaint) => complaint.includes(message)).length;
  await plane.eventually(() => told() > 0);
  const before = told();
  await plane.client.delete(Box, refTo('b'));
  await plane.eventually(() => told() > before);
  expect((await plane.client.get(Box, refTo('b'))).metadata.finalizers).toEqual(['test.pintle.dev/slow']);
});

test('what asks for nothing under another name is no mistake', async () => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(addBoxes(async () => uncompiled({ requeue: false, requeueAfter: 0 })));
  await plane.untilIdle();
  expect(plane.complaints).toEqual([]);
});

test('finalizers of others are left as they are', async () => {
  const held = box('b');
  held.metadata.finalizers = ['example.com/theirs'];
  await using plane = await start({ objects: [held] });
  plane.operator(
    addBoxes(async (_object, ctx) => void (await ctx.finalize('test.pintle.dev/ours', async () => undefined))),
  );
  await plane.untilIdle();
  await plane.client.delete(Box, refTo('b'));
  await plane.untilIdle();
  expect((await plane.client.get(Box, refTo('b'))).metadata.finalizers).toEqual(['example.com/theirs']);
});

test('what a reconcile wrote, it reads, and live reads ask the server', async () => {
  await using plane = await start({ objects: [box('b', { parts: ['x', 'y'] })] });
  const seen: number[] = [];
  plane.operator(
    addBoxes(async (object, ctx) => {
      for (const part of object.spec.parts) await ctx.apply(ConfigMap, { metadata: { name: part } });
      seen.push((await ctx.children(ConfigMap)).length);
      const listed = await ctx.list(ConfigMap, { namespace });
      seen.push(listed.filter(({ metadata }) => object.spec.parts.includes(metadata.name ?? '')).length);
      expect(await ctx.find(ConfigMap, 'x')).toBeDefined();
      expect(await ctx.live.get(ConfigMap, refTo('y'))).toBeDefined();
      await expect(ctx.get(ConfigMap, 'z')).rejects.toThrow('not found');
    }),
  );
  await plane.untilIdle();
  expect(seen.slice(0, 2)).toEqual([2, 2]);
  expect(plane.complaints).toEqual([]);
});

test('an object follows others for as long as its reconciles say so', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: refTo('s'), data: {} };
  await using plane = await start({ objects: [secret, box('b', { follows: 's' })] });
  let reconciles = 0;
  const operator = plane.operator(
    addBoxes(async ({ spec }, ctx) => {
      reconciles++;
      if (spec.follows) ctx.status({ note: Object.keys((await ctx.follow(Secret, spec.follows))?.data ?? {}).join() });
    }),
  );
  await plane.untilIdle();
  const touch = async (key: string): Promise<void> => {
    const body = { data: { [key]: 'eA==' } };
    await plane.client.patch(Secret, refTo('s'), { type: 'merge', body });
    await plane.untilIdle();
  };
  await touch('one');
  expect((await plane.client.get(Box, refTo('b'))).status?.note).toBe('one');
  expect(operator.manager.informers.find(Secret, namespace)).toBeDefined();
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { follows: null } } });
  await plane.untilIdle();
  expect(operator.manager.informers.find(Secret, namespace)).toBeUndefined();
  const before = reconciles;
  await touch('two');
  expect(reconciles).toBe(before);
});

test('events are told about the object', async () => {
  await using plane = await start({ objects: [box('b')] });
  plane.operator(addBoxes(async (_object, ctx) => ctx.event('Normal', 'Looked', 'Somebody looked')));
  const told = await plane.eventually(async () => (await plane.client.list(Event, { namespace })).items[0]);
  expect(told).toMatchObject({
    reason: 'Looked',
    message: 'Somebody looked',
    involvedObject: { kind: 'Box', name: 'b' },
  });
});

test('lines of the log say which object and which reconcile', async () => {
  await using plane = await start({ objects: [box('b')] });
  const lines: object[] = [];
  const log = { info: (_: string, fields?: object) => void lines.push(fields ?? {}), warn: () => {}, error: () => {} };
  plane.operator(
    addBoxes(async (_object, ctx) => ctx.log.info('Looked', { more: 1 })),
    { log },
  );
  await plane.untilIdle();
  const line = lines.find((fields) => 'more' in fields);
  expect(line).toMatchObject({ controller: 'box', namespace, name: 'b', more: 1, reconcileId: expect.any(String) });
});

test('a reconcile that does not await what it applies fails, and says what', async () => {
  await using plane = await start({ objects: [box('b')] });
  const warnings: string[] = [];
  const warn = (_: string, fields?: object): void => void warnings.push((fields as { error: string }).error);
  let isAwaited = false;
  plane.operator(
    addBoxes(async ({ metadata }, ctx) => {
      const applying = ctx.apply(ConfigMap, { metadata: { name: `${metadata.name}-x` } });
      if (isAwaited) await applying;
      ctx.status({ note: 'said' });
    }),
    { allowsUnawaited: true, log: { info: () => {}, warn, error: () => {} } },
  );
  await plane.eventually(() => warnings.length > 0);
  isAwaited = true;
  expect(warnings[0]).toBe('Cannot end the reconcile of Box default/b: it did not await ctx.apply of ConfigMap b-x');
  await plane.untilMatches(Box, refTo('b'), { status: { note: 'said' } });
  const before = warnings.length;
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { note: 'again' } } });
  await plane.untilIdle();
  expect(warnings.length).toBe(before);
});

test('a reconcile that fails while others of its writes go on says why it failed', async () => {
  await using plane = await start({ objects: [box('b')] });
  const warnings: string[] = [];
  const warn = (_: string, fields?: object): void => void warnings.push((fields as { error: string }).error);
  plane.operator(
    addBoxes(async (_object, ctx) => {
      void ctx.apply(ConfigMap, { metadata: { name: 'x' } });
      throw new Error('enough');
    }),
    { log: { info: () => {}, warn, error: () => {} } },
  );
  await plane.eventually(() => warnings.length > 0);
  expect(warnings[0]).toBe('enough');
});
