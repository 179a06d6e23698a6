import {
  deepEqual,
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '@pintle/machinery/json';
import { TOUCHED } from '../world/world.ts';

/** Fields that a text names, and the length of each value. */
const MAX_FIELDS = 3;
const MAX_VALUE = 40;
/** Fields that the server sets with every write. */
const OWN: ReadonlySet<string> = new Set([
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.deletionTimestamp',
  'metadata.deletionGracePeriodSeconds',
  `metadata.annotations.${TOUCHED}`,
]);

/** The last known state of each object, to tell what a write changed. */
export class Changes {
  readonly #objects = new Map<string, JsonObject>();

  /** Notes the state of an object after a write. Returns what changed since the last, if that was of the same version. */
  note(object: JsonObject): string {
    const { uid } = isJsonObject(object.metadata) ? object.metadata : {};
    if (typeof uid !== 'string') return '';
    const before = this.#objects.get(uid);
    this.#objects.set(uid, object);
    const isComparable = before?.apiVersion === object.apiVersion && before?.kind === object.kind;
    return before !== undefined && isComparable ? describeChanges(before, object) : '';
  }
}

/** Returns the changed fields: `spec.size: 1 → 2, spec.tier: "a" → removed`. Of Secrets it tells no values. */
export function describeChanges(before: JsonObject, after: JsonObject): string {
  const changes = [...changesIn(before, after, '')];
  const told = changes.slice(0, MAX_FIELDS).map(({ field, from, to }) => {
    const [one, other] = [textOf(from, 'unset'), textOf(to, 'removed')];
    return after.kind === 'Secret' || one === other ? `${field} changed` : `${field}: ${one} → ${other}`;
  });
  const more = changes.length - told.length;
  return `${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

interface Change {
  readonly field: string;
  readonly from: JsonValue | undefined;
  readonly to: JsonValue | undefined;
}

function* changesIn(
  from: JsonValue | undefined,
  to: JsonValue | undefined,
  field: string,
): Generator<Change, void, undefined> {
  if (OWN.has(field) || deepEqual(from, to)) return;
  const inner = (name: string): string => (field === '' ? name : `${field}.${name}`);
  if (isJsonObject(from) && isJsonObject(to)) {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)]))
      yield* changesIn(getOwn(from, name), getOwn(to, name), inner(name));
  } else if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    for (const [index, each] of from.entries()) yield* changesIn(each, to[index], inner(String(index)));
  } else if (!isEmpty(from) || !isEmpty(to)) yield { field, from, to };
}

/** True for nothing, and for the object around annotations that are not told. */
function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || (isJsonObject(value) && Object.keys(value).every((name) => name === TOUCHED));
}

function textOf(value: JsonValue | undefined, absent: string): string {
  if (value === undefined) return absent;
  const text = stringifyJson(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE - 1)}…`;
}
