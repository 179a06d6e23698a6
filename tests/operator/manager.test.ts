import { AsyncLocalStorage } from 'node:async_hooks';
import { type AddressInfo, createServer } from 'node:net';
import { SeededRandom } from '@pintle/async';
import { Client, type Transport } from '@pintle/client';
import { ConfigMap, Namespace, Secret } from '@pintle/kinds/core/v1';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { Manager, type ManagerOptions, OperatorError, TerminalError } from '@pintle/operator';
import { describe, expect, test } from 'vitest';
import { openPlane, type Plane } from '../helpers/plane.ts';

const home = { namespace: 'default' };

/** A manager in a process of its own, on a line that can be cut. */
function open(plane: Plane, options: ManagerOptions = {}) {
  const line = { isCut: false };
  const lines: Record<string, unknown>[] = [];
  const say = (message: string, fields?: object): void => void lines.push({ message, ...fields });
  const send: Transport['send'] = async (request) => {
    if (line.isCut) throw new Error('No way through');
    return await plane.client.transport.send(request);
  };
  const manager = new Manager({
    client: new Client({ transport: { send, isProbed: true }, clock: plane.clock }),
    clock: plane.clock,
    random: new SeededRandom(5),
    log: { info: say, warn: say, error: say },
    isFrozen: true,
    ...options,
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    manager,
    line,
    lines,
    run: () => {
      running = manager.run({ signal: stop.signal });
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

describe('metrics', () => {
  test('count from zero what controllers, queues and requests do, by the names of controller-runtime', async () => {
    await using plane = await openPlane();
    await using process = open(plane, { leaderElection: 'lock' });
    const { manager } = process;
    const failures = new Map([
      ['broken', new Error('again')],
      ['hopeless', new TerminalError('never')],
    ]);
    manager
      .controller(ConfigMap)
      .options({ concurrency: 3 })
      .reconcile(async ({ metadata: { name = '' } }) => {
        const failure = failures.get(name);
        failures.delete(name);
        if (failure) throw failure;
        return name === 'later' ? { requeueAfterMs: 3_600_000 } : undefined;
      });
    const before = await manager.metrics.metrics();
    expect(before).toContain('controller_runtime_reconcile_total{controller="configmap",result="success"} 0');
    expect(before).toContain('controller_runtime_reconcile_errors_total{controller="configmap"} 0');
    expect(before).toContain('leader_election_master_status{name="lock"} 0');
    process.run();
    for (const name of ['fine', 'later', 'broken', 'hopeless'])
      await plane.client.create(ConfigMap, { metadata: { ...home, name } });
    await plane.eventually(async () => manager.isLeader && failures.size === 0);
    await plane.clock.advance(1_000);
    const after = await manager.metrics.metrics();
    for (const line of [
      'controller_runtime_reconcile_total{controller="configmap",result="error"} 2',
      'controller_runtime_reconcile_total{controller="configmap",result="requeue_after"} 1',
      'controller_runtime_reconcile_total{controller="configmap",result="requeue"} 0',
      'controller_runtime_reconcile_errors_total{controller="configmap"} 2',
      'controller_runtime_terminal_reconcile_errors_total{controller="configmap"} 1',
      'controller_runtime_reconcile_panics_total{controller="configmap"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="configmap"} 3',
      'controller_runtime_active_workers{controller="configmap"} 0',
      'workqueue_depth{name="configmap",controller="configmap",priority=""} 0',
      'workqueue_retries_total{name="configmap",controller="configmap"} 1',
      'workqueue_unfinished_work_seconds{name="configmap",controller="configmap"} 0',
      'workqueue_longest_running_processor_seconds{name="configmap",controller="configmap"} 0',
      'rest_client_requests_total{code="201",method="POST",host=""} 1',
      'leader_election_master_status{name="lock"} 1',
    ])
      expect(after.split('\n')).toContain(line);
    expect(after).toMatch(/^controller_runtime_reconcile_time_seconds_bucket\{controller="configmap",le="60"\} [1-9]/m);
    expect(after).toMatch(/^workqueue_work_duration_seconds_count\{.*\} [1-9]/m);
    expect(after).toMatch(/^workqueue_queue_duration_seconds_count\{.*\} [1-9]/m);
  });

  test('of several managers in a process are apart', async () => {
    await using plane = await openPlane();
    await using first = open(plane);
    await using second = open(plane);
    first.manager.controller(ConfigMap).reconcile(async () => undefined);
    expect(first.manager.metrics).not.toBe(second.manager.metrics);
    expect(await second.manager.metrics.metrics()).not.toContain('configmap');
  });
});

describe('probes', () => {
  test('a manager is ready when it knows everything, and not when it no longer hears of it', async () => {
    await using plane = await openPlane();
    await using process = open(plane, { health: { port: 0, host: '127.0.0.1' }, metrics: { port: 0 } });
    const { manager, line } = process;
    manager.controller(ConfigMap).reconcile(async () => undefined);
    manager.addHealthCheck('mood', () => undefined);
    process.run();
    await plane.eventually(async () => manager.informers.find(ConfigMap)?.isSynced);
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${manager.ports.health}${path}`);
      return `${response.status} ${await response.text()}`;
    };
    expect(await ask('/healthz?verbose')).toBe('200 [+]ping ok\n[+]mood ok\nhealthz check passed\n');
    expect(await ask('/readyz')).toBe('200 ok');
    expect(await ask('/readyz/watch-configmaps')).toBe('200 ok');
    expect(await ask('/healthz/mood')).toBe('200 ok');
    expect(await ask('/nothing')).toBe('404 404 page not found\n');
    line.isCut = true;
    await plane.clock.advance(15 * 60_000);
    expect(await ask('/readyz?verbose')).toMatch(
      /^500 \[\+\]ping ok\n\[-\]watch-configmaps failed: no watch events for \d+ s\nreadyz check failed\n$/,
    );
    expect(await ask('/healthz')).toBe('200 ok');
    line.isCut = false;
    await plane.clock.advance(60_000);
    expect(await ask('/readyz')).toBe('200 ok');
    const scraped = await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`);
    expect(scraped.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await scraped.text()).toContain('process_resident_memory_bytes');
  });

  test('a manager that has not heard of everything yet is not ready', async () => {
    await using plane = await openPlane();
    await using process = open(plane, { health: { port: 0, host: '127.0.0.1' }, leaderElection: 'lock' });
    process.line.isCut = true;
    process.manager.controller(ConfigMap).reconcile(async () => undefined);
    process.run();
    await plane.eventually(async () => process.manager.informers.informers().length > 0);
    const response = await fetch(`http://127.0.0.1:${process.manager.ports.health}/readyz`);
    expect(await response.text()).toContain('[-]watch-configmaps failed: not synced yet');
  });
});

test.each([
  ['health', 'HEALTH_PORT'],
  ['metrics', 'METRICS_PORT'],
  ['webhooks', 'WEBHOOK_PORT'],
])('a port of %s that is taken is named, with what sets it', async (serves, setting) => {
  await using plane = await openPlane();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as AddressInfo;
    const lines: string[] = [];
    const note = (message: string): void => void lines.push(message);
    const manager = new Manager({
      client: plane.client,
      log: { info: note, warn: note, error: note },
      webhooks: { isRegistering: false, port: 0 },
      [serves]: { ...(serves === 'webhooks' && { isRegistering: false }), port, host: '127.0.0.1' },
    });
    manager.webhooks.for(ConfigMap).default(() => undefined);
    const failed = await manager.run({ signal: new AbortController().signal }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(OperatorError);
    expect((failed as Error).message).toBe(
      `Cannot serve ${serves} at port ${port}: another program listens there. ` +
        `Set another port with ${setting} in the environment; 0 chooses a free one`,
    );
    expect(lines).not.toContain('Serving');
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('a replica that shares the work says that it works, not that it waits', async () => {
  await using plane = await openPlane();
  await using first = open(plane, { sharding: 'parts' });
  await using second = open(plane, { sharding: 'parts', random: new SeededRandom(6) });
  for (const { manager, run } of [first, second]) {
    manager.controller(ConfigMap).reconcile(async () => undefined);
    run();
    await plane.eventually(async () => first.manager.isLeader);
  }
  const told = (): string[] => second.lines.map(({ message }) => `${message}`);
  await plane.eventually(async () => told().some((line) => line.startsWith('Working on the part of this replica')));
  expect(told().join()).not.toContain('Waiting for the lease');
});

describe('logs', () => {
  test('say which object and which reconcile they are about', async () => {
    await using plane = await openPlane();
    await using process = open(plane);
    process.manager.controller(ConfigMap, 'labels').reconcile(async ({ metadata: { name } }, { log }) => {
      if (name !== 'mine') return;
      log.info('Looked');
      throw new TerminalError('enough');
    });
    process.run();
    await plane.client.create(ConfigMap, { metadata: { ...home, name: 'mine' } });
    await plane.eventually(async () =>
      process.lines.some(({ message }) => message === 'Reconcile failed; not retrying'),
    );
    const [looked, gaveUp] = process.lines.filter(({ controller }) => controller === 'labels');
    expect(looked).toEqual({
      message: 'Looked',
      controller: 'labels',
      ...home,
      name: 'mine',
      reconcileId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(gaveUp).toMatchObject({ reconcileId: looked?.reconcileId, error: 'enough' });
  });
});

describe('namespaces', () => {
  test('a manager of some namespaces caches and hears of nothing else', async () => {
    await using plane = await openPlane();
    for (const name of ['one', 'two', 'three']) {
      await plane.client.create(Namespace, { metadata: { name } });
      await plane.client.create(ConfigMap, { metadata: { namespace: name, name: 'there' } });
    }
    await using process = open(plane, { namespaces: ['one', 'three'] });
    const { manager } = process;
    const seen = new Set<string>();
    manager.controller(ConfigMap).reconcile(async ({ metadata: { namespace = '' } }) => void seen.add(namespace));
    process.run();
    await plane.eventually(async () => seen.size === 2);
    expect([...seen].sort()).toEqual(['one', 'three']);
    const listed = await manager.client.list(ConfigMap);
    expect(listed.map(({ metadata }) => metadata.namespace).sort()).toEqual(['one', 'three']);
    expect(manager.roles({ name: 'some' })).toEqual(
      ['one', 'three'].map((namespace) => ({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'some', namespace },
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
      })),
    );
  });
});

test('objects of another cluster are sources, and have a client and caches of their own', async () => {
  await using here = await openPlane();
  await using there = await openPlane();
  await using process = open(here);
  const { manager } = process;
  const remote = manager.cluster('remote', there.client);
  const copied: string[] = [];
  manager
    .controller(ConfigMap)
    .watches(Secret, ({ metadata: { name = '' } }) => [{ ...home, name }], { informers: remote.informers })
    .reconcileRequests(async ({ name }) => {
      const source = await remote.client.find(Secret, { ...home, name });
      if (source !== undefined) copied.push(name);
    });
  process.run();
  await there.client.create(Secret, { metadata: { ...home, name: 'far' } });
  await here.eventually(async () => copied.includes('far'));
  expect(manager.clusterRole().rules).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] },
  ]);
  expect(remote.clusterRole({ name: 'remote' }).rules).toEqual([
    { apiGroups: [''], resources: ['secrets'], verbs: ['watch'] },
  ]);
});

describe('permissions', () => {
  test('the role allows what was used, and what standbys and owners will use', async () => {
    await using plane = await openPlane();
    const used = new Set<string>();
    await using process = open(plane, { leaderElection: 'lock' });
    const { manager } = process;
    manager
      .controller(Namespace, 'greeter')
      .owns(ConfigMap)
      .reconcile(async ({ metadata: { name = '' } }, ctx) => {
        if (name !== 'greeted') return;
        await ctx.apply(ConfigMap, { metadata: { namespace: name, name: 'greeting' }, data: { hello: name } });
        if (!used.has(name)) ctx.event('Normal', 'Greeted', 'Said hello');
        used.add(name);
      });
    process.run();
    await plane.client.create(Namespace, { metadata: { name: 'greeted' } });
    await plane.eventually(async () => used.size > 0);
    await manager.events.flush();
    await plane.clock.advance(5_000);
    expect(manager.clusterRole({ name: 'greeter' })).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'greeter' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'delete', 'list', 'patch', 'watch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create'] },
        { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: [''], resources: ['namespaces/finalizers'], verbs: ['update'] },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update', 'watch'] },
      ] satisfies PolicyRule[],
    });
    expect(manager.roles().map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
      ['ClusterRole', undefined],
      ['Role', 'default'],
    ]);
  });
});

describe('telemetry', () => {
  const requested = async (options: ManagerOptions): Promise<string[]> => {
    await using plane = await openPlane();
    const paths: string[] = [];
    const client = plane.client.intercepted((request, next) => {
      paths.push(`${request.method} ${request.path}`);
      return next(request);
    });
    await using process = open(plane, { client, ...options });
    let runs = 0;
    process.manager.controller(ConfigMap).reconcile(async () => void runs++);
    process.run();
    for (let index = 0; index < 20; index++)
      await plane.client.create(ConfigMap, { metadata: { ...home, name: `map-${index}` } });
    await plane.eventually(async () => runs >= 20);
    return paths.filter((path) => path.includes('/console'));
  };

  test('is off by default: no request is sent for it', async () => {
    expect(await requested({})).toEqual([]);
    expect(await requested({ telemetry: false })).toEqual([]);
  });

  test('when on, a server without a console is asked once, whatever is reconciled', async () => {
    expect(await requested({ telemetry: true })).toEqual(['POST /console/reports']);
  });
});

describe('traces', () => {
  test('a reconcile is a span, and the requests it makes are its children', async () => {
    const { context, trace } = await import('@opentelemetry/api');
    const { spans, provider, contexts } = recorder();
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(contexts);
    try {
      await using plane = await openPlane();
      await using process = open(plane);
      process.manager.controller(ConfigMap, 'labels').reconcile(async ({ metadata: { name } }, { live }) => {
        if (name === 'mine') await live.get(Namespace, { name: 'default' });
        if (name === 'mine') throw new TerminalError('enough');
      });
      process.run();
      await plane.client.create(ConfigMap, { metadata: { ...home, name: 'mine' } });
      const ended = () => spans.find((span) => span.attributes['k8s.object.name'] === 'mine' && span.isEnded);
      const reconcile = await plane.eventually(async () => ended());
      expect(reconcile).toMatchObject({
        name: 'reconcile labels',
        attributes: { controller: 'labels', 'k8s.namespace.name': 'default' },
        status: { message: 'enough' },
      });
      const request = spans.find((span) => span.parent === reconcile);
      expect(request).toMatchObject({
        name: 'GET',
        attributes: { 'url.path': '/api/v1/namespaces/default', 'http.response.status_code': 200 },
        isEnded: true,
      });
    } finally {
      trace.disable();
      context.disable();
    }
  });
});

interface RecordedSpan {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly parent: unknown;
  status?: unknown;
  isEnded: boolean;
}

/** As much of OpenTelemetry's SDK as it takes to see spans. */
function recorder() {
  type Api = typeof import('@opentelemetry/api');
  type Context = ReturnType<Api['context']['active']>;
  const spans: RecordedSpan[] = [];
  const storage = new AsyncLocalStorage<Context>();
  const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');
  const root: Context = makeContext(new Map());
  const tracer = {
    startSpan: (name: string, { attributes = {} }: { attributes?: Record<string, unknown> } = {}) => {
      const parent = currentSpan(storage.getStore() ?? root);
      const span = {
        name,
        attributes: { ...attributes },
        parent,
        isEnded: false,
        setAttributes: (more: object) => void Object.assign(span.attributes, more),
        recordException: () => undefined,
        setStatus: (status: unknown) => void Object.assign(span, { status }),
        end: () => {
          span.isEnded = true;
        },
      };
      spans.push(span);
      return span;
    },
  };
  const contexts = {
    active: () => storage.getStore() ?? root,
    with: <R>(context: Context, work: () => R) => storage.run(context, work),
    bind: <T>(_context: Context, target: T) => target,
    enable: () => contexts,
    disable: () => contexts,
  };
  function currentSpan(context: Context): unknown {
    return (context as unknown as { entries: Map<symbol, unknown> }).entries.get(
      [...(context as unknown as { entries: Map<symbol, unknown> }).entries.keys()].find(
        (key) => key.description === spanKey.description,
      ) ?? spanKey,
    );
  }
  function makeContext(entries: Map<symbol, unknown>): Context {
    return {
      entries,
      getValue: (key: symbol) => entries.get(key),
      setValue: (key: symbol, value: unknown) => makeContext(new Map([...entries, [key, value]])),
      deleteValue: (key: symbol) => makeContext(new Map([...entries].filter(([each]) => each !== key))),
    } as unknown as Context;
  }
  return { spans, provider: { getTracer: () => tracer } as never, contexts: contexts as never };
}
