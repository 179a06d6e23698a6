import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { FieldSet } from '../set/field-set.ts';
import type { FieldPath } from '../set/path-element.ts';
import { decodeManagers, encodeManagers, type Manager, withFields } from './manager.ts';

/** The path of the replicas in each version of a resource; `undefined` for a version without a scale. */
export type ReplicasPaths = ReadonlyMap<string, FieldPath | undefined>;

const SCALE_VERSION = 'autoscaling/v1';
const replicasOfScale = FieldSet.of([{ field: 'spec' }, { field: 'replicas' }]);

/** Returns the entries of a Scale: the managers of its parent that own the replicas. */
export function scaleEntriesOf(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] {
  const owners = new Map<string, Manager>();
  for (const [id, manager] of decodeManagers(parent)) {
    const path = paths.get(manager.apiVersion);
    if (path === undefined || !manager.fields.has(path)) continue;
    const { entry: _, ...rest } = manager;
    owners.set(id, { ...rest, apiVersion: SCALE_VERSION, fields: replicasOfScale });
  }
  return encodeManagers(owners);
}

/** Returns the entries of the parent after a write to its Scale, whose managers alone own the replicas now. */
export function parentEntriesOf(request: {
  readonly parent: readonly ManagedFieldsEntry[] | undefined;
  readonly scale: readonly ManagedFieldsEntry[];
  /** The version of the parent in which new owners own the replicas. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}): ManagedFieldsEntry[] {
  const { parent, scale, apiVersion, paths } = request;
  const before = decodeManagers(parent);
  const newcomers = new Map(decodeManagers(scale));
  const owners = new Map<string, Manager>();
  for (const [id, manager] of before) {
    if (!paths.has(manager.apiVersion)) continue;
    const path = paths.get(manager.apiVersion);
    const ownsReplicas = path !== undefined && manager.fields.has(path);
    const left =
      !ownsReplicas || newcomers.delete(id)
        ? manager
        : withFields(manager, manager.fields.difference(FieldSet.of(path)));
    if (!left.fields.isEmpty) owners.set(id, left);
  }
  const path = paths.get(apiVersion);
  for (const [id, manager] of newcomers) {
    if (path === undefined || !manager.fields.has([{ field: 'spec' }, { field: 'replicas' }])) continue;
    const { entry: _, ...rest } = manager;
    owners.set(id, { ...rest, apiVersion, time: before.get(id)?.time, fields: FieldSet.of(path) });
  }
  return encodeManagers(owners);
}
