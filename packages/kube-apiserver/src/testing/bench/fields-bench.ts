import { schemaOf } from '@pintle/kinds/schemas';
import type { Apply, Update } from '@pintle/machinery/fields';
import { apply, keepTimesOfIdleWrite, trackUpdate, withManagedFields } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import { parseJson, trustedLimits } from '@pintle/machinery/json';

/** Measures the cost of field ownership for a write: of an ordinary Deployment, and of the largest objects. */
export async function bench(print: (line: string) => void): Promise<void> {
  for (const [label, prepare] of ordinaryWrites()) {
    const [median, late] = measure(prepare, 1_500);
    print(`${label.padEnd(46)} p50 ${inMicroseconds(median)}  p99 ${inMicroseconds(late)}`);
  }
  for (const [label, prepare] of largeWrites()) {
    const [median] = measure(prepare, 7);
    print(`${label.padEnd(46)} p50 ${median.toFixed(0).padStart(6)} ms`);
  }
}

/** Prepares a run and returns the function to measure. */
type Prepare = () => () => void;
type Write = readonly [label: string, prepare: Prepare];

const GVK = { group: 'apps', version: 'v1', kind: 'Deployment' };
const common = { apiVersion: 'apps/v1', time: '2026-01-02T03:04:05Z', schema: schemaOf(GVK) };

function* ordinaryWrites(): Generator<Write> {
  const wanted = deployment(34);
  const live = withOwners(wanted);
  const changed = deployment(34, 'nginx:1.29');
  const size = `${(JSON.stringify(wanted).length / 1_000).toFixed(1)} KB`;
  yield [`create, ${size}`, updating({ next: wanted })];
  yield ['update of one field, 3 owners', updating({ live, next: changed })];
  yield ['update of nothing, 3 owners', updating({ live, next: wanted })];
  yield ['apply that creates', applying({ applied: wanted })];
  yield ['apply of one field, 3 owners', applying({ live, applied: changed, force: true })];
  yield ['apply of nothing, 3 owners', applying({ live, applied: wanted })];
}

function* largeWrites(): Generator<Write> {
  const items = 25_000;
  const wanted = deployment(items);
  const live = withOwners(wanted);
  const renamed = deployment(items, 'nginx:1.27', 'OTHER');
  const valued = deployment(items, 'nginx:1.27', 'SETTING', 'else');
  const size = `${(JSON.stringify(wanted).length / 1_000_000).toFixed(1)} MB`;
  yield [`create, ${items} keyed items, ${size}`, updating({ next: wanted })];
  yield ['update of one field', updating({ live, next: deployment(items, 'nginx:1.29') })];
  yield ['update of every value', updating({ live, next: valued })];
  yield ['update of every key', updating({ live, next: renamed })];
  yield ['apply that creates', applying({ applied: wanted })];
  yield ['apply of nothing', applying({ live, applied: wanted })];
  yield ['apply of every value, conflicting', applying({ live, applied: valued, manager: 'other' })];
  yield ['apply of every value, forced', applying({ live, applied: valued, manager: 'other', force: true })];
  yield ['apply of every key', applying({ live, applied: renamed })];
  yield ['apply that leaves all out', applying({ live, applied: deployment(0) })];
}

/** Parses everything again each time, as a server does, but outside of what is measured. */
function updating(update: Pick<Update, 'live' | 'next'>): Prepare {
  return () => {
    const context = { ...common, manager: 'kubectl-edit' };
    const fresh = copy(update) as Update;
    return () => {
      const entries = trackUpdate(context, fresh);
      if (fresh.live) keepTimesOfIdleWrite(fresh.live, withManagedFields(fresh.next, entries));
    };
  };
}

function applying(request: Partial<Apply> & Pick<Apply, 'applied'>): Prepare {
  return () => {
    const fresh = { ...common, manager: 'a', ...copy(request) } as Apply;
    return () => {
      apply(fresh);
    };
  };
}

function copy<T extends object>(value: T): T {
  return parseJson(JSON.stringify(value), trustedLimits) as T;
}

/** Returns the median and the 99th percentile in milliseconds. */
function measure(prepare: Prepare, runs: number): [median: number, late: number] {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const work = prepare();
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return [times[Math.floor(runs * 0.5)]!, times[Math.ceil(runs * 0.99) - 1]!];
}

function inMicroseconds(milliseconds: number): string {
  return `${(milliseconds * 1_000).toFixed(0).padStart(5)} µs`;
}

function deployment(variables: number, image = 'nginx:1.27', name = 'SETTING', value = 'value'): JsonObject {
  const env = Array.from({ length: variables }, (_, index) => ({
    name: `${name}_${index}`,
    value: `${value}-${index}.svc.cluster.local`,
  }));
  const probe = { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 };
  const container = {
    name: 'web',
    image,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    resources: { limits: { cpu: '1', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
    ...(variables > 0 && { env }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: '0f0e5d3c', labels: { app: 'web', tier: 'front' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [container], volumes: [{ name: 'config', configMap: { name: 'web' } }] },
      },
    },
  };
}

/** Returns a stored object: one manager applied all of it, another changed labels, a controller its status. */
function withOwners(wanted: JsonObject): JsonObject {
  const outcome = apply({ ...common, manager: 'a', applied: wanted });
  if (outcome.status === 'conflict') throw new Error('Cannot prepare: the first apply met a conflict');
  const first = withManagedFields(wanted, outcome.managedFields);
  const status = { replicas: 3, readyReplicas: 3, updatedReplicas: 3, observedGeneration: 1 };
  const second = { ...first, status };
  const entries = trackUpdate(
    { ...common, manager: 'kube-controller-manager', subresource: 'status' },
    { live: first, next: second },
  );
  const metadata = { ...(wanted.metadata as JsonObject), annotations: { note: 'by hand' } };
  const third = withManagedFields({ ...second, metadata }, entries);
  return withManagedFields(
    third,
    trackUpdate({ ...common, manager: 'kubectl-edit' }, { live: withManagedFields(second, entries), next: third }),
  );
}
