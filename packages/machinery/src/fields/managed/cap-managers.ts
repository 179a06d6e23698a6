import { compareTexts, type Manager, type Managers, managerId, secondsOf } from './manager.ts';

const MAX_UPDATE_MANAGERS = 10;
const OLD_CHANGES = 'ancient-changes';

/**
 * Keeps an object from gathering updaters without end: beyond ten, the oldest of each version are put together under one
 * name. Appliers do not count.
 */
export function capUpdateManagers(managers: Managers): Managers {
  let count = 0;
  for (const { operation } of managers.values()) if (operation === 'Update') count++;
  if (count <= MAX_UPDATE_MANAGERS) return managers;

  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  for (const [id, manager] of oldestUpdaters(managers)) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    putTogether(capped, first, id, manager);
    count--;
  }
  return capped;
}

function oldestUpdaters(managers: Managers): (readonly [string, Manager])[] {
  return [...managers]
    .filter(([, { operation }]) => operation === 'Update')
    .sort(([a, left], [b, right]) => secondsOf(left.time) - secondsOf(right.time) || compareTexts(a, b));
}

/** The first becomes the bucket of its version, unless there is one; the next one goes into it, with its later time. */
function putTogether(managers: Map<string, Manager>, first: string, id: string, manager: Manager): void {
  const { apiVersion, time, fields } = manager;
  const bucket = { manager: OLD_CHANGES, operation: 'Update', apiVersion, subresource: '' } as const;
  const bucketId = managerId(bucket);
  const held = managers.get(bucketId) ?? managers.get(first);
  if (!managers.has(bucketId)) managers.delete(first);
  managers.delete(id);
  managers.set(bucketId, { ...bucket, time, fields: held === undefined ? fields : fields.union(held.fields) });
}
