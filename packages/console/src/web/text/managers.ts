import type { Json, JsonObject, KubeObject, ManagedFields } from '../api/objects.ts';
import { jsonOf, record } from '../api/objects.ts';

/** Manager of a field, its operation, and the time. */
export interface Manager {
  readonly name: string;
  readonly operation: string;
  readonly subresource: string;
  readonly time: string;
  /** Index among the managers of the object; selects the colour. */
  readonly index: number;
}

export function managersOf({ metadata: { managedFields = [] } }: KubeObject): Manager[] {
  return managedFields.map(({ manager = '', operation = '', subresource = '', time = '' }, index) => ({
    name: manager,
    operation,
    subresource,
    time,
    index,
  }));
}

/** Finds the managers of fields by their paths. */
export function ownersByPath(object: KubeObject): (path: readonly (string | number)[]) => Manager[] {
  const managers = managersOf(object);
  const owners = new Map<string, Manager[]>();
  (object.metadata.managedFields ?? []).forEach((entry: ManagedFields, index) => {
    const manager = managers[index]!;
    walk(entry.fieldsV1 ?? {}, jsonOf(object), [], (path) => {
      const key = JSON.stringify(path);
      const known = owners.get(key);
      if (known === undefined) owners.set(key, [manager]);
      else if (!known.includes(manager)) known.push(manager);
    });
  });
  return (path) => {
    // Fields inside an atomic field belong to its manager.
    for (let length = path.length; length > 0; length--) {
      const found = owners.get(JSON.stringify(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return [];
  };
}

/** Visits every field that a set names, as a path in the object: `f:` a field, `k:` an item by its keys, `v:` one by value. */
function walk(
  set: JsonObject,
  value: Json | undefined,
  path: (string | number)[],
  visit: (path: (string | number)[]) => void,
): void {
  for (const [name, below] of Object.entries(set)) {
    const step = stepOf(name, value);
    if (step === undefined) continue;
    if (step === '.') {
      visit(path);
      continue;
    }
    const next = [...path, step.key];
    const inner = (record(below) ?? {}) as JsonObject;
    if (Object.keys(inner).length === 0) visit(next);
    else walk(inner, step.value, next, visit);
  }
}

function stepOf(
  name: string,
  value: Json | undefined,
): '.' | { key: string | number; value: Json | undefined } | undefined {
  if (name === '.') return '.';
  const rest = name.slice(2);
  if (name.startsWith('f:')) return { key: rest, value: record(value)?.[rest] as Json | undefined };
  if (!Array.isArray(value)) return undefined;
  const index = name.startsWith('i:') ? Number(rest) : value.findIndex(matcher(name));
  return index < 0 ? undefined : { key: index, value: value[index] };
}

function matcher(name: string): (item: Json) => boolean {
  try {
    const wanted = JSON.parse(name.slice(2));
    if (name.startsWith('v:')) return (item) => item === wanted;
    return (item) => Object.entries(wanted).every(([key, each]) => record(item)?.[key] === each);
  } catch {
    return () => false;
  }
}
