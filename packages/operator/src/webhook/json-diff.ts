import type { JsonPatchOperation } from '@pintle/client';
import { deepEqual, isJsonObject } from '@pintle/machinery/json';

/** Returns the JSON Patch from `before` to `after`; empty when they are equal. Compares lists item by item. */
export function jsonDiff(before: unknown, after: unknown, path = ''): JsonPatchOperation[] {
  if (deepEqual(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return diffObjects(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return diffArrays(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

type Members = Readonly<Record<string, unknown>>;

/** Treats `undefined` properties as absent. */
function diffObjects(before: Members, after: Members, path: string): JsonPatchOperation[] {
  const removed = Object.keys(before).filter((key) => before[key] !== undefined && ownOf(after, key) === undefined);
  const kept = Object.keys(after).filter((key) => after[key] !== undefined);
  return [
    ...removed.map((key): JsonPatchOperation => ({ op: 'remove', path: below(path, key) })),
    ...kept.flatMap((key): JsonPatchOperation[] => {
      const former = ownOf(before, key);
      if (former === undefined) return [{ op: 'add', path: below(path, key), value: after[key] }];
      return jsonDiff(former, after[key], below(path, key));
    }),
  ];
}

/** Removes from the end, so that indexes stay valid. */
function diffArrays(before: readonly unknown[], after: readonly unknown[], path: string): JsonPatchOperation[] {
  const operations = before.slice(0, after.length).flatMap((item, i) => jsonDiff(item, after[i], `${path}/${i}`));
  for (let i = before.length - 1; i >= after.length; i--) operations.push({ op: 'remove', path: `${path}/${i}` });
  for (const item of after.slice(before.length)) operations.push({ op: 'add', path: `${path}/-`, value: item });
  return operations;
}

function ownOf(members: Members, key: string): unknown {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
