import { escapeName, unescapeName } from '@pintle/apiserver/storage';
import type { Scope } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import { storedKinds } from './stored-kinds.ts';

/** Prefix of Pintle's keys that hold no objects; Kubernetes has nothing there. */
const OWN_PREFIX = '_pintle/';
/** Where Pintle had the core group before it stored objects as Kubernetes does. */
const FORMER_PREFIX = 'core/';

/** Paths that Kubernetes gives other names than those of the resources. */
const SPECIAL_PATHS: Readonly<Record<string, string>> = table({
  'core/replicationcontrollers': 'controllers',
  'core/endpoints': 'services/endpoints',
  'core/nodes': 'minions',
  'core/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
  'core/servicenodeportallocations': 'ranges',
  'core/apiServerIPInfo': 'masterleases',
});

/** Paths beside which others have the same prefix and another kind. */
const ONLY_NAMES: Readonly<Record<string, string>> = table({ ranges: 'servicenodeports' });

/** Groups of servers of their own, whose paths have the group as those of custom resources have. */
const GROUPS_IN_PATHS: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

interface Collection {
  /** `group/resource` of keys. */
  readonly name: string;
  /** Path without the names of objects. */
  readonly path: string;
  readonly scope: Scope;
}

const collections: readonly Collection[] = [...storedKinds.values()].map(({ name, group, resource, scope }) => {
  const path = SPECIAL_PATHS[name] ?? (GROUPS_IN_PATHS.has(group) ? name : resource);
  return { name, path, scope };
});
const byName: ReadonlyMap<string, Collection> = new Map(collections.map((collection) => [collection.name, collection]));
const byPath: ReadonlyMap<string, Collection> = new Map(collections.map((collection) => [collection.path, collection]));
const builtinGroups: ReadonlySet<string> = new Set([...storedKinds.values()].map(({ group }) => group));

/** Returns `group/resource` of a key; `undefined` for a key of Pintle itself. */
export function collectionOf(key: string): string | undefined {
  return isOwn(key) ? undefined : key.slice(0, secondSlash(key));
}

/**
 * Returns the path of a key, below the prefix of all:
 *
 *     core/services/default/web              services/specs/default/web
 *     apps/deployments/default/web           deployments/default/web
 *     example.com/fruits/default/apple       example.com/fruits/default/apple
 */
export function pathOf(key: string): string {
  const name = collectionOf(key);
  if (name === undefined) return key;
  const names = unescapeName(key.slice(name.length));
  const builtin = byName.get(name);
  if (builtin !== undefined) return `${builtin.path}${names}`;
  if (!isCustomGroup(name.slice(0, name.indexOf('/'))))
    throw new RangeError(`Cannot store ${JSON.stringify(key)}: Kubernetes has no path for ${name}`);
  return `${name}${names}`;
}

/** Returns the key at a path, or `undefined` when the path is not one of an object that is served. */
export function keyOf(path: string): string | undefined {
  if (isOwn(path)) return path;
  const first = path.indexOf('/');
  if (first < 0) return undefined;
  const second = secondSlash(path);
  const builtin = byPath.get(path.slice(0, first)) ?? byPath.get(path.slice(0, second));
  if (builtin !== undefined) {
    const names = path.slice(builtin.path.length + 1);
    if (names !== (ONLY_NAMES[builtin.path] ?? names)) return undefined;
    return segmentsOf(names) === (builtin.scope === 'Cluster' ? 1 : 2)
      ? `${builtin.name}/${escapeName(names)}`
      : undefined;
  }
  if (!isCustomGroup(path.slice(0, first))) return undefined;
  const count = segmentsOf(path);
  return count === 3 || count === 4 ? escapeName(path) : undefined;
}

/** Returns why the objects at a path that is not Kubernetes' cannot be served. */
export function refusalOf(path: string): string | undefined {
  if (!path.startsWith(FORMER_PREFIX)) return undefined;
  return 'the prefix holds objects in a former format of Pintle. Choose another with --etcd-prefix, or delete them';
}

function isOwn(text: string): boolean {
  return text.startsWith(OWN_PREFIX);
}

/** Groups of custom resources have a dot, and no built-in resource has. */
function isCustomGroup(group: string): boolean {
  return group.includes('.') && !builtinGroups.has(group);
}

function secondSlash(text: string): number {
  const second = text.indexOf('/', text.indexOf('/') + 1);
  return second < 0 ? text.length : second;
}

/** Returns the number of segments; 0 when one is empty. */
function segmentsOf(path: string): number {
  const segments = path.split('/', 6);
  return segments.includes('') ? 0 : segments.length;
}
