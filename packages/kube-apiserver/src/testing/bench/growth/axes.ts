import type { GroupResource, KubernetesObject } from '@pintle/machinery';
import { configMap, widgetDefinition } from '../objects.ts';
import type { Stage } from '../stage.ts';
import { HOME, openIdleWatches, USER } from './costs.ts';

/** Something of which a server may have more and more. */
export interface Axis {
  readonly name: string;
  readonly sizes: readonly number[];
  /** Makes more of it. */
  grow(stage: Stage, from: number, to: number): Promise<void>;
}

/** An object with the fields that its kind needs here. */
type Filling = KubernetesObject & Readonly<Record<string, unknown>>;

const RBAC = 'rbac.authorization.k8s.io';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const BATCH = 500;
const OBJECTS_IN_A_NAMESPACE = 1_000;

export const AXES: readonly Axis[] = [
  {
    name: 'objects',
    sizes: [1_000, 10_000, 100_000],
    grow: async (stage, from, to) =>
      await putAll(stage, { group: '', resource: 'configmaps' }, from, to, (i) =>
        smallConfigMap(`crowd-${Math.floor(i / OBJECTS_IN_A_NAMESPACE)}`, i),
      ),
  },
  {
    name: 'namespaces',
    sizes: [10, 100, 1_000, 10_000],
    grow: async (stage, from, to) =>
      await putAll(stage, { group: '', resource: 'namespaces' }, from, to, (i) => namespaceOf(`many-${i}`)),
  },
  { name: 'watches of other objects', sizes: [1, 100, 10_000], grow: openIdleWatches },
  {
    name: 'definitions',
    sizes: [1, 10, 100, 1_000],
    grow: async (stage, from, to) => {
      for (let i = from; i < to; i++) await stage.ask('POST', DEFINITIONS, definitionOf(i));
    },
  },
  {
    name: 'role bindings',
    sizes: [10, 100, 1_000, 10_000, 100_000],
    grow: async (stage, from, to) =>
      await putAll(stage, { group: RBAC, resource: 'rolebindings' }, from, to, (i) =>
        bindingOf(`other-${i}`, `crowd-${i % 100}`, `user-${i}`),
      ),
  },
  {
    name: 'versions of one object',
    sizes: [10, 1_000, 100_000],
    grow: async (stage, from, to) => {
      for (let i = from; i < to; i++)
        await stage.put({ group: '', resource: 'configmaps' }, [configMapIn(HOME, 'one', i)]);
    },
  },
];

/** Makes what the measured requests are about, and the rights of their user. */
export async function furnish(stage: Stage, objects: number): Promise<void> {
  await stage.put({ group: '', resource: 'namespaces' }, [namespaceOf(HOME)]);
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
  const role = { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: 'all', namespace: HOME }, rules };
  await stage.put({ group: RBAC, resource: 'roles' }, [role]);
  await stage.put({ group: RBAC, resource: 'rolebindings' }, [bindingOf('all', HOME, USER)]);
  await stage.put({ group: '', resource: 'configmaps' }, [configMapIn(HOME, 'one', 0)]);
  await putAll(stage, { group: '', resource: 'configmaps' }, 1, objects, (i) => smallConfigMap(HOME, i));
}

async function putAll(
  stage: Stage,
  resource: GroupResource,
  from: number,
  to: number,
  make: (i: number) => KubernetesObject,
): Promise<void> {
  for (let at = from; at < to; at += BATCH) {
    const count = Math.min(BATCH, to - at);
    await stage.put(
      resource,
      Array.from({ length: count }, (_, i) => make(at + i)),
    );
  }
}

/** A ConfigMap of about 300 bytes. */
function smallConfigMap(namespace: string, i: number): Filling {
  const metadata = { name: `small-${i}`, namespace, labels: { app: 'bench', part: `p-${i % 10}` } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'value', number: String(i) } };
}

function configMapIn(namespace: string, name: string, version: number): KubernetesObject {
  const object = configMap(name, version) as KubernetesObject;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function namespaceOf(name: string): Filling {
  const spec = { finalizers: ['kubernetes'] };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec, status: { phase: 'Active' } };
}

function bindingOf(name: string, namespace: string, user: string): Filling {
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'all' };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: user }];
  return { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name, namespace }, roleRef, subjects };
}

function definitionOf(i: number): object {
  const { spec, ...rest } = widgetDefinition() as { spec: object };
  const group = `g${i % 50}.bench.pintle.dev`;
  const plural = `widgets${i}`;
  const names = { plural, singular: `widget${i}`, kind: `Widget${i}`, listKind: `Widget${i}List` };
  return { ...rest, metadata: { name: `${plural}.${group}` }, spec: { ...spec, group, names } };
}
