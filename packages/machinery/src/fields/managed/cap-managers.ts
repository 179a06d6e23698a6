import { emptySet, type FieldSet } from '../set/field-set.ts';
import { compareTexts, type Manager, type Managers, managerId, secondsOf } from './manager.ts';

const MAX_UPDATE_MANAGERS = 10;
const OLD_CHANGES = 'ancient-changes';

/** Bounds the number of updaters: beyond ten, merges the oldest of each version under one name. Appliers do not count. */
export function capUpdateManagers(managers: Managers): Managers {
  let count = 0;
  for (const { operation } of managers.values()) if (operation === 'Update') count++;
  if (count <= MAX_UPDATE_MANAGERS) return managers;

  const capped = new Map(managers);
  const gathered = new Map<string, FieldSet[]>();
  const firstOfVersion = new Map<string, string>();
  for (const [id, manager] of oldestUpdaters(managers)) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    putTogether(capped, first, id, manager, gathered);
    count--;
  }
  for (const [id, sets] of gathered) capped.set(id, { ...capped.get(id)!, fields: unionOf(sets) });
  return capped;
}

function oldestUpdaters(managers: Managers): (readonly [string, Manager])[] {
  return [...managers]
    .filter(([, { operation }]) => operation === 'Update')
    .sort(([a, left], [b, right]) => secondsOf(left.time) - secondsOf(right.time) || compareTexts(a, b));
}

/**
 * The first manager becomes the bucket of its version, unless there is one; the next is added to it, with its later
 * time. Sets are only collected here: merging thousands one by one would copy all fields for each.
 */
function putTogether(
  managers: Map<string, Manager>,
  first: string,
  id: string,
  manager: Manager,
  gathered: Map<string, FieldSet[]>,
): void {
  const { apiVersion, time, fields } = manager;
  const bucket = { manager: OLD_CHANGES, operation: 'Update', apiVersion, subresource: '' } as const;
  const bucketId = managerId(bucket);
  const held = managers.get(bucketId) ?? managers.get(first);
  if (!managers.has(bucketId)) managers.delete(first);
  managers.delete(id);
  managers.set(bucketId, { ...bucket, time, fields });
  const sets = gathered.get(bucketId) ?? (held === undefined ? [] : [held.fields]);
  sets.push(fields);
  gathered.set(bucketId, sets);
}

/** Merges in pairs, so that each set is copied once per round. */
function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 2) return sets.reduce((all, set) => all.union(set), emptySet);
  const middle = sets.length >> 1;
  return unionOf(sets.slice(0, middle)).union(unionOf(sets.slice(middle)));
}
