import { Channel } from '@pintle/async';
import { defineIndex } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { ConfigMap, Namespace, Secret } from '@pintle/kinds/core/v1';
import type { Manager, Reason, Request } from '@pintle/operator';
import {
  generationChanged,
  inNamespaces,
  installResources,
  matchesLabels,
  requestOf,
  TerminalError,
} from '@pintle/operator';
import type { ControlPlane, ControlPlaneOptions } from '@pintle/testing';
import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
import { Box, box, Lid, namespace, refTo } from './box.ts';

function start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return startControlPlane({ crds: [Box], clock: stepped(), ...options });
}

const label = (key: string) => ({ type: 'merge', body: { metadata: { labels: { [key]: 'yes' } } } }) as const;
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: refTo(name) });

test('a reconcile hears what happened since the last one', async () => {
  await using plane = await start({ objects: [box('b')] });
  const heard: Reason[][] = [];
  plane.operator((manager) => {
    manager
      .controller(Box)
      .watches(ConfigMap, ({ metadata }) => (metadata.name === 'map' ? [refTo('b')] : []))
      .reconcile(async (_object, ctx) => {
        heard.push([...ctx.reasons]);
        if (heard.length === 2) throw new Error('Once');
        if (heard.length === 3) ctx.requeue(60_000);
      });
  });
  await plane.untilIdle();
  await plane.client.create(ConfigMap, { metadata: refTo('map') });
  await plane.untilIdle();
  await plane.clock.advance('1m');
  await plane.client.patch(Box, refTo('b'), label('a'));
  await plane.client.delete(ConfigMap, refTo('map'));
  await plane.untilIdle();
  const known = { namespace, name: 'b', kind: 'Box' };
  expect(heard[0]).toEqual([{ cause: 'added', ...known, isInitial: true }]);
  expect(heard[1]).toEqual([{ cause: 'added', kind: 'ConfigMap', namespace, name: 'map' }]);
  expect(heard[2]).toEqual([{ cause: 'retried' }]);
  expect(heard[3]).toEqual([{ cause: 'requeued' }]);
  expect(heard.slice(4).flat()).toEqual([
    { cause: 'updated', ...known },
    { cause: 'deleted', kind: 'ConfigMap', namespace, name: 'map' },
  ]);
});

test('the request form is told of objects that are gone', async () => {
  await using plane = await start({ objects: [box('b')] });
  const seen: (Request & { isThere: boolean })[] = [];
  plane.operator((manager) => {
    manager.controller(Box).reconcileRequests(async (request, { client }) => {
      seen.push({ ...request, isThere: (await client.find(Box, request)) !== undefined });
    });
  });
  await plane.untilIdle();
  await plane.client.delete(Box, refTo('b'));
  await plane.untilIdle();
  expect(seen).toEqual([
    { namespace, name: 'b', isThere: true },
    { namespace, name: 'b', isThere: false },
  ]);
});

test('changes that come in swarms are one', async () => {
  await using plane = await start({ objects: [box('b'), configMap('m')] });
  let looks = 0;
  plane.operator((manager) => {
    manager
      .controller(Box)
      .filter(() => false)
      .watches(ConfigMap, () => [refTo('b')], { coalesceMs: 100 })
      .reconcile(async () => void looks++);
  });
  await plane.clock.advance(1_000);
  looks = 0;
  for (const value of ['a', 'b', 'c']) await plane.client.patch(ConfigMap, refTo('m'), label(value));
  await plane.clock.advance(50);
  expect(looks).toBe(0);
  await plane.clock.advance(100);
  expect(looks).toBe(1);
});

test('predicates decide which changes count', async () => {
  await using plane = await start({ objects: [box('b'), configMap('m')] });
  const counts = { generation: 0, labels: 0, namespaces: 0, own: 0 };
  plane.operator((manager) => {
    const count = (what: keyof typeof counts) => async () => void counts[what]++;
    manager.controller(Box, 'generation').filter(generationChanged).reconcile(count('generation'));
    manager.controller(Box, 'labels').filter(matchesLabels('a')).reconcile(count('labels'));
    manager.controller(Box, 'namespaces').filter(inNamespaces('elsewhere')).reconcile(count('namespaces'));
    manager
      .controller(Box, 'own')
      .filter(() => false)
      .watches(
        ConfigMap,
        () => [refTo('b')],
        ({ type, object }) => type === 'updated' && object.data?.now !== undefined,
      )
      .reconcile(count('own'));
  });
  await plane.untilIdle();
  expect(counts).toEqual({ generation: 1, labels: 0, namespaces: 0, own: 0 });
  await plane.client.patch(Box, refTo('b'), label('a'));
  await plane.client.patch(ConfigMap, refTo('m'), label('a'));
  await plane.untilIdle();
  expect(counts).toEqual({ generation: 1, labels: 1, namespaces: 0, own: 0 });
  await plane.client.patch(Box, refTo('b'), { type: 'merge', body: { spec: { note: 'n' } } });
  await plane.client.patch(ConfigMap, refTo('m'), { type: 'merge', body: { data: { now: 'yes' } } });
  await plane.untilIdle();
  expect(counts).toEqual({ generation: 2, labels: 2, namespaces: 0, own: 1 });
});

test('something outside of the API can ask for a reconcile', async () => {
  await using plane = await start({ objects: [box('b'), box('c')] });
  const channel = new Channel<Request>(8);
  const heard: string[] = [];
  plane.operator((manager) => {
    manager
      .controller(Box)
      .filter(() => false)
      .watchesExternal(channel)
      .watchesExternal(async (enqueue, { signal }) => {
        enqueue(refTo('c'));
        await manager.clock.sleep(1e9, { signal }).catch(() => undefined);
      })
      .reconcile(async ({ metadata }, ctx) => void heard.push(`${metadata.name} ${ctx.reasons[0]?.cause}`));
  });
  await plane.untilIdle();
  await channel.send(refTo('b'));
  await plane.untilIdle();
  expect(heard).toEqual(['c external', 'b external']);
});

test('a controller fails with its external source', async () => {
  await using plane = await start();
  const manager = plane.manager();
  manager
    .controller(Box)
    .watchesExternal(async () => {
      throw new Error('The source is dry');
    })
    .reconcile(async () => undefined);
  await expect(manager.run({ signal: new AbortController().signal })).rejects.toThrow('The source is dry');
});

test('an optional kind is watched while it is served, and every object hears of its coming and going', async () => {
  await using plane = await start({ objects: [box('b')] });
  const heard: string[] = [];
  plane.operator((manager) => {
    manager
      .controller(Box)
      .owns(Lid, { isOptional: true })
      .reconcile(async (_object, ctx) => {
        heard.push(...ctx.reasons.map(({ cause }) => cause));
        if (ctx.isServed(Lid)) await ctx.apply(Lid, { metadata: { name: 'lid' }, spec: {} });
      });
  });
  await plane.untilIdle();
  expect(heard).toEqual(['added']);
  await installResources(plane.client, [Lid]);
  await plane.clock.advance('10s');
  await plane.untilIdle();
  expect(await plane.client.find(Lid, refTo('lid'))).toBeDefined();
  await plane.client.delete(Lid, refTo('lid'));
  await plane.untilIdle();
  expect(await plane.client.find(Lid, refTo('lid'))).toBeDefined();
  await plane.client.delete(CustomResourceDefinition, { name: Lid.definition.metadata.name ?? '' });
  await plane.clock.advance('20s');
  await plane.untilIdle();
  expect(heard.at(-1)).toBe('kind-gone');
  await installResources(plane.client, [Lid]);
  await plane.clock.advance('10s');
  await plane.untilIdle();
  expect(await plane.client.find(Lid, refTo('lid'))).toBeDefined();
});

test('a controller of an optional kind waits for it', async () => {
  await using plane = await start();
  const seen: string[] = [];
  const addLids = (manager: Manager): void => {
    manager
      .controller(Lid)
      .options({ isOptional: true })
      .reconcile(async ({ metadata }) => void seen.push(metadata.name ?? ''));
  };
  plane.operator(addLids, { installsMissing: false });
  await plane.clock.advance('5m');
  await installResources(plane.client, [Lid]);
  await plane.client.create(Lid, { metadata: refTo('l'), spec: {} });
  await plane.clock.advance('10s');
  await plane.untilIdle();
  expect(seen).toEqual(['l']);
});

test('a controller of a kind that is missing fails, and says which', async () => {
  await using plane = await start();
  const manager = plane.manager({ installsMissing: false });
  manager.controller(Lid).reconcile(async () => undefined);
  const running = manager.run({ signal: new AbortController().signal });
  const failed = expect(running).rejects.toThrow('Cannot start lid: Lid not listed within 120000 ms');
  await plane.clock.advance('3m');
  await failed;
});

test('a kind that cannot be listed stops no controller of a control plane but its own, which waits', async () => {
  await using plane = await start();
  const seen: string[] = [];
  const warned: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warned.push(message), error: () => undefined };
  const manager = plane.manager({ installsMissing: false, isControlPlane: true, log });
  manager.controller(Lid).reconcile(async ({ metadata }) => void seen.push(`lid ${metadata.name}`));
  manager.controller(Box).reconcile(async ({ metadata }) => void seen.push(`box ${metadata.name}`));
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  await plane.clock.advance('10m');
  await plane.client.create(Box, box('b'));
  await plane.clock.advance('1s');
  expect(seen).toEqual(['box b']);
  expect(warned.filter((message) => message === 'Waiting for the first list')).toHaveLength(5);
  await installResources(plane.client, [Lid]);
  await plane.client.create(Lid, { metadata: refTo('l'), spec: {} });
  await plane.clock.advance('1m');
  expect(seen).toEqual(['box b', 'lid l']);
  stop.abort();
  await running;
});

test('a reconcile whose time is over is aborted and tried again; one that is stopped is not', async () => {
  await using plane = await start({ objects: [box('b')] });
  const reasons: unknown[] = [];
  const operator = plane.operator((manager) => {
    manager
      .controller(Box)
      .options({ timeoutMs: 1_000 })
      .reconcile(async (_object, { clock, signal }) => {
        if (reasons.length < 2) await clock.sleep(60_000, { signal }).catch((reason) => reasons.push(reason));
        signal.throwIfAborted();
      });
  });
  await plane.eventually(() => reasons.length === 1);
  expect(reasons[0]).toMatchObject({ failure: { code: 'TimedOut', timeoutMs: 1_000 } });
  await plane.eventually(() => plane.complaints.join().includes('reconcile of box: timed out after 1000 ms'));
  await operator.stop();
  expect(plane.complaints.filter((line) => line.includes('Failed to reconcile'))).toHaveLength(
    reasons.length === 1 ? 1 : reasons.length,
  );
});

test('a terminal error is not tried again; mistakes in the program are counted', async () => {
  await using plane = await start({ objects: [box('b')] });
  let tries = 0;
  const operator = plane.operator((manager) => {
    manager.controller(Box).reconcile(async (object) => {
      tries++;
      if (tries === 1) (object as unknown as { missing: { call(): void } }).missing.call();
      throw new TerminalError('It will not help');
    });
  });
  await plane.untilIdle();
  await plane.clock.advance('1h');
  expect(tries).toBe(2);
  const { metrics } = operator.manager;
  expect(await metrics.getSingleMetricAsString('controller_runtime_reconcile_panics_total')).toContain('"box"} 1');
  expect(await metrics.getSingleMetricAsString('controller_runtime_terminal_reconcile_errors_total')).toContain(
    '"box"} 1',
  );
});

test('a mistake in the program can be made to end it', async () => {
  await using plane = await start({ objects: [box('b')] });
  const manager = plane.manager();
  manager
    .controller(Box)
    .options({ isPanicFatal: true })
    .reconcile(async () => {
      throw new ReferenceError('x is not defined');
    });
  await expect(manager.run({ signal: new AbortController().signal })).rejects.toThrow('x is not defined');
});

test('objects are found by an index of one’s own', async () => {
  await using plane = await start({ objects: [box('a', { note: 'red' }), box('b', { note: 'blue' }), configMap('m')] });
  const byNote = defineIndex(Box, ({ spec }) => (spec.note ? [spec.note] : []));
  const found: string[] = [];
  plane.operator((manager) => {
    manager
      .controller(ConfigMap, 'by-note')
      .filter(inNamespaces(namespace))
      .indexes(Box, byNote)
      .reconcile(async (_map, ctx) => {
        const boxes = await ctx.list(Box, { index: byNote.is('red') });
        found.push(...boxes.map(({ metadata }) => metadata.name));
      });
  });
  await plane.untilIdle();
  expect([...new Set(found)]).toEqual(['a']);
});

test('sources can be added and taken away while a controller runs', async () => {
  await using plane = await start({ objects: [box('b')] });
  const heard: Reason[] = [];
  const controllers: ReturnType<ReturnType<Manager['controller']>['reconcile']>[] = [];
  plane.operator((manager) => {
    controllers.push(manager.controller(Box).reconcile(async (_object, ctx) => void heard.push(...ctx.reasons)));
  });
  await plane.untilIdle();
  const source = controllers[0]!.watchNow(Secret, () => [refTo('b')]);
  await source.synced;
  await plane.client.create(Secret, { metadata: refTo('s') });
  await plane.untilIdle();
  expect(heard.at(-1)).toMatchObject({ cause: 'added', kind: 'Secret' });
  source[Symbol.dispose]();
  const before = heard.length;
  await plane.client.delete(Secret, refTo('s'));
  await plane.untilIdle();
  expect(heard).toHaveLength(before);
});

test('what is listed at the start waits for what happens now', async () => {
  const many = Array.from({ length: 20 }, (_, index) => box(`old${index}`));
  await using plane = await start({ objects: many });
  const order: string[] = [];
  plane.operator((manager) => {
    manager.controller(Box).reconcile(async ({ metadata }) => {
      order.push(metadata.name ?? '');
      if (order.length === 1) {
        await plane.client.create(Box, { metadata: refTo('new'), spec: {} } as never);
        await plane.eventually(() => manager.informers.find(Box)?.cache.get(refTo('new')));
      }
    });
  });
  await plane.untilIdle();
  expect(order.indexOf('new')).toBe(1);
  expect(order).toHaveLength(21);
});

test('each object is reconciled by one worker at a time, several objects by several', async () => {
  await using plane = await start({ objects: [box('a'), box('b'), box('c')] });
  const active = new Map<string, number>();
  let most = 0;
  plane.operator((manager) => {
    manager
      .controller(Box)
      .options({ concurrency: 3 })
      .watches(Namespace, () => ['a', 'b', 'c'].map(refTo))
      .reconcile(async ({ metadata }, { clock }) => {
        const name = metadata.name ?? '';
        expect(active.get(name) ?? 0).toBe(0);
        active.set(name, 1);
        most = Math.max(most, [...active.values()].filter((count) => count > 0).length);
        await clock.sleep(1_000);
        active.set(name, 0);
      });
  });
  await plane.untilIdle();
  expect(most).toBe(3);
  expect(plane.complaints).toEqual([]);
});

test('a map function reads what it needs, and is asked again when it fails', async () => {
  await using plane = await start({ objects: [box('a', { note: 'm' }), box('b', { note: 'other' }), configMap('m')] });
  const byNote = defineIndex(Box, ({ spec }) => (spec.note ? [spec.note] : []));
  const reconciled: string[] = [];
  let failures = 2;
  plane.operator((manager) => {
    manager
      .controller(Box)
      .indexes(Box, byNote)
      .watches(ConfigMap, async ({ metadata }, { client }) => {
        if (metadata.labels?.touched && failures-- > 0) throw new Error('not now');
        return (await client.list(Box, { index: byNote.is(metadata.name) })).map(requestOf);
      })
      .reconcile(async ({ metadata }) => void reconciled.push(metadata.name));
  });
  await plane.untilIdle();
  reconciled.length = 0;
  await plane.client.patch(ConfigMap, refTo('m'), label('touched'));
  await plane.eventually(() => reconciled.length > 0);
  expect(reconciled).toEqual(['a']);
  expect(failures).toBeLessThan(1);
});
