import type { Json, KubeObject, ManagedFields } from '../api/objects.ts';
import { jsonOf, record, writtenMs } from '../api/objects.ts';
import { type Manager, managersOf, ownersByPath } from './managers.ts';

type Path = readonly (string | number)[];

/**
 * Names who wrote a version. Times of managers are whole seconds, so what several wrote within one is told from the version
 * before it, by the first of these that only one of them fits:
 *
 *     its entry is new, or has another time  ►  its entry has more fields  ►  most of what changed is its own
 *
 * Where that does not tell, all of them are named.
 */
export function writerOf(before: KubeObject | undefined, after: KubeObject): string {
  const ms = writtenMs(after.metadata);
  const entries = after.metadata.managedFields ?? [];
  const latest = managersOf(after).filter(({ time }) => Date.parse(time) === ms);
  if (latest.length < 2 || before === undefined) return namesOf(latest);
  const known = before.metadata.managedFields ?? [];
  const earlierOf = (index: number): ManagedFields | undefined => known.find((each) => isSame(each, entries[index]!));
  const gained = (index: number): number => sizeOf(entries[index]?.fieldsV1) - sizeOf(earlierOf(index)?.fieldsV1);
  const owners = ownersByPath(after);
  const changed = changesBetween(jsonOf(shownOf(before)), jsonOf(shownOf(after)));
  const owned = ({ index }: Manager): number =>
    changed.filter((path) => owners(path).some((owner) => owner.index === index)).length;
  return namesOf(
    narrowed(latest, [
      ({ index, time }) => (earlierOf(index)?.time === time ? 0 : 1),
      ({ index }) => Math.max(0, gained(index)),
      owned,
    ]),
  );
}

/** Keeps those with the highest score, one score after the other, until one is left. */
function narrowed(managers: readonly Manager[], scores: readonly ((manager: Manager) => number)[]): readonly Manager[] {
  let left = managers;
  for (const score of scores) {
    const most = Math.max(...left.map(score));
    left = left.filter((manager) => score(manager) === most);
    if (left.length === 1) break;
  }
  return left;
}

function namesOf(managers: readonly Manager[]): string {
  return [...new Set(managers.map(({ name }) => name))].join(' or ');
}

function isSame(a: ManagedFields, b: ManagedFields): boolean {
  return a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;
}

/** Number of fields in a set. */
function sizeOf(set: Json | undefined): number {
  const fields = Object.values(record(set) ?? {});
  return fields.reduce<number>((sum, below) => sum + 1 + sizeOf(below as Json), 0);
}

/** The part of an object that managers have a share in. */
function shownOf(object: KubeObject): object {
  const {
    managedFields: _managers,
    resourceVersion: _revision,
    generation: _generation,
    ...metadata
  } = object.metadata as KubeObject['metadata'] & { readonly generation?: number };
  return { ...object, metadata };
}

/** Paths of the fields that were added or have another value. */
function changesBetween(before: Json | undefined, after: Json, path: Path = []): Path[] {
  if (before === after) return [];
  const fields = fieldsOf(after);
  if (fields === undefined) return [path];
  const known = new Map<string | number, Json>(before === undefined ? [] : fieldsOf(before));
  return fields.flatMap(([name, value]) => changesBetween(known.get(name), value, [...path, name]));
}

function fieldsOf(value: Json): [string | number, Json][] | undefined {
  if (Array.isArray(value)) return value.map((item: Json, index): [number, Json] => [index, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
}
