import type { JsonValue } from '../json/index.ts';
import { getOwn, isJsonObject, requestLimits } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

/**
 * One operation of RFC 6902, as far as it could be read: it is checked when it is applied. Members that are absent, or
 * of a type that no operation has, are `undefined`.
 */
export interface JsonPatchOperation {
  /** `add`, `remove`, `replace`, `move`, `copy` or `test`; applying any other throws. */
  readonly op: string;
  readonly path: Pointer | undefined;
  readonly from: Pointer | undefined;
  readonly value: JsonValue | undefined;
  /** Numbers in the value that are written as `1.0`, `1e2` or `1e-1`, by their paths in it. Absent when there are none. */
  readonly floats?: ReadonlyMap<string, string>;
}

export type JsonPatch = readonly JsonPatchOperation[];

/** The unescaped segments of a JSON pointer; none for the whole document. */
export type Pointer = readonly string[];

const MAX_OPERATIONS = 10_000;

/**
 * Reads a patch. `floats`: numbers that the patch writes as `1.0`, by their paths. Throws `PatchError` when it is
 * not a list of objects, or has too many operations. `null` is an empty patch.
 */
export function readJsonPatch(value: JsonValue, floats: ReadonlyMap<string, string> = new Map()): JsonPatch {
  if (value === null) return [];
  if (!Array.isArray(value)) throw cannotUnmarshal(value, 'Go value of type jsonpatch.Patch');
  for (const item of value) {
    if (item !== null && !isJsonObject(item)) throw cannotUnmarshal(item, 'Go value of type jsonpatch.Operation');
  }
  if (value.length > MAX_OPERATIONS) {
    throw new PatchError({ code: 'TooManyOperations', count: value.length, max: MAX_OPERATIONS });
  }
  const operations = value.map(readOperation);
  return floats.size === 0 ? operations : withFloats(operations, floats);
}

/** Moves `[3].value.spec.port` to the value of the fourth operation, as `spec.port`. */
function withFloats(operations: JsonPatch, floats: ReadonlyMap<string, string>): JsonPatch {
  return operations.map((operation, i) => {
    const prefix = `[${i}].value`;
    const own = [...floats]
      .filter(([path]) => isAtOrBelow(path, prefix))
      .map(([path, literal]) => [path.slice(prefix.length).replace(/^\./, ''), literal] as const);
    return own.length === 0 ? operation : { ...operation, floats: new Map(own) };
  });
}

/**
 * Returns the numbers that a patch wrote as `1.0`, by their paths in the resulting document. Omits those that a
 * later operation replaced; those that were moved or copied are not found.
 */
export function floatsIn(document: JsonValue, patch: JsonPatch): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (const { op, path, floats = NONE } of patch) {
    const base = path && op !== 'test' ? pathOf(document, path) : undefined;
    if (base === undefined) continue;
    for (const known of found.keys()) if (isAtOrBelow(known, base)) found.delete(known);
    if (op !== 'add' && op !== 'replace') continue;
    for (const [inner, literal] of floats) found.set(joined(base, inner), literal);
  }
  return found.size === 0 ? undefined : found;
}

const NONE: ReadonlyMap<string, string> = new Map();

function isAtOrBelow(path: string, base: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}.`) || path.startsWith(`${base}[`);
}

/** Returns the path of a pointer in a document, such as `spec.ports[0].port`; `-` is the last item of a list. */
function pathOf(document: JsonValue, pointer: Pointer): string | undefined {
  let value: JsonValue | undefined = document;
  let path = '';
  for (const segment of pointer) {
    if (Array.isArray(value)) {
      const index: number = segment === '-' ? value.length - 1 : Number(segment);
      path = `${path}[${index < 0 ? index + value.length : index}]`;
      value = value.at(index);
    } else if (value !== undefined && isJsonObject(value)) {
      path = joined(path, segment);
      value = getOwn(value, segment);
    } else return undefined;
  }
  return path;
}

function joined(path: string, inner: string): string {
  return path === '' || inner === '' || inner.startsWith('[') ? `${path}${inner}` : `${path}.${inner}`;
}

function readOperation(value: JsonValue): JsonPatchOperation {
  const member = (name: string): JsonValue | undefined => (isJsonObject(value) ? getOwn(value, name) : undefined);
  const op = member('op');
  return {
    op: typeof op === 'string' ? op : '',
    path: readPointer(member('path')),
    from: readPointer(member('from')),
    value: member('value'),
  };
}

/** Most segments of a pointer: no document is nested deeper, so a longer pointer has no target. */
const MAX_SEGMENTS = requestLimits.maxDepth + 1;

/** `/a~1b/0` is ['a/b', '0']. Text before the first slash is ignored; without a slash there is no pointer. */
function readPointer(value: JsonValue | undefined): Pointer | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === '') return [];
  const segments = value.split('/', MAX_SEGMENTS + 1).slice(1);
  if (segments.length === 0) return undefined;
  return segments.map((segment) => (segment.includes('~') ? unescaped(segment) : segment));
}

/** Avoids `replaceAll`, which takes three times as long for a million matches. */
function unescaped(segment: string): string {
  return segment.split('~1').join('/').split('~0').join('~');
}

export function formatPointer(path: Pointer): string {
  return path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const MEMBERS = new Set(['op', 'path', 'from', 'value']);
const TEXTS = ['op', 'path', 'from'];
/** Kubernetes reports no more strict errors than this. */
const MAX_REPORTED = 100;

/**
 * Returns what strict reading reports: unknown members of operations, as `[0].foo`, at most 100. Throws `PatchError`
 * for members of the wrong type, which lenient reading leaves to the operation.
 */
export function unknownMembers(value: JsonValue): string[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw cannotUnmarshal(value, 'Go value of type []handlers.jsonPatchOp');
  const unknown: string[] = [];
  value.forEach((operation, i) => {
    if (operation === null) return;
    if (!isJsonObject(operation)) throw cannotUnmarshal(operation, 'Go value of type handlers.jsonPatchOp');
    for (const name of Object.keys(operation)) {
      const member = operation[name]!;
      if (!MEMBERS.has(name)) {
        if (unknown.length < MAX_REPORTED) unknown.push(`[${i}].${name}`);
      } else if (TEXTS.includes(name) && typeof member !== 'string' && member !== null) {
        throw cannotUnmarshal(member, `Go struct field jsonPatchOp.${name} of type string`);
      }
    }
  });
  return unknown;
}

function cannotUnmarshal(value: JsonValue, into: string): PatchError {
  return new PatchError({ code: 'Malformed', problem: `json: cannot unmarshal ${shapeOf(value)} into ${into}` });
}

/** Returns the name of a JSON type in Go's decoder. */
function shapeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' ? 'bool' : type === 'bigint' ? 'number' : type;
}
