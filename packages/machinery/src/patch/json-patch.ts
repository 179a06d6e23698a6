import type { JsonValue } from '../json/index.ts';
import { deepCopy, deepEqual, isJsonObject, setOwn, stringifyJson } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

/** One operation of RFC 6902. Pointers are split into their unescaped segments. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly path: Pointer; readonly from: Pointer };

export type JsonPatch = readonly JsonPatchOperation[];
type Pointer = readonly string[];

const MAX_OPERATIONS = 10_000;
/** Copies may make a document grow by so much, all together. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** Reads a patch. Throws PatchError when it is none, or has too many operations. */
export function readJsonPatch(value: JsonValue): JsonPatch {
  if (!Array.isArray(value)) {
    const shape = isJsonObject(value) ? 'object' : value === null ? 'null' : typeof value;
    throw new TypeError(`json: cannot unmarshal ${shape} into Go value of type []handlers.jsonPatchOp`);
  }
  if (value.length > MAX_OPERATIONS) {
    throw new PatchError({ code: 'TooManyOperations', count: value.length, max: MAX_OPERATIONS });
  }
  return value.map(readOperation);
}

const MEMBERS = new Set(['op', 'path', 'from', 'value']);

/** Members of operations that mean nothing, as `[0].foo`; for strict reading. */
export function unknownMembers(value: JsonValue): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((operation, i) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((name) => !MEMBERS.has(name))
          .map((name) => `[${i}].${name}`)
      : [],
  );
}

function readOperation(value: JsonValue, i: number): JsonPatchOperation {
  const refuse = (problem: string): PatchError => new PatchError({ code: 'NotApplicable', operation: i, problem });
  if (!isJsonObject(value)) throw refuse('it is not an object');
  const path = readPointer(value.path);
  if (path === undefined) throw refuse('it has no path');
  switch (value.op) {
    case 'add':
    case 'replace':
    case 'test':
      if (value.value === undefined) throw refuse('it has no value');
      return { op: value.op, path, value: value.value };
    case 'remove':
      return { op: 'remove', path };
    case 'move':
    case 'copy': {
      const from = readPointer(value.from);
      if (from === undefined) throw refuse('it has no from');
      return { op: value.op, path, from };
    }
    default:
      throw refuse(`its op is ${JSON.stringify(value.op)}`);
  }
}

/** `/a~1b/0` is ['a/b', '0']. */
function readPointer(value: JsonValue | undefined): Pointer | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === '') return [];
  const [first, ...segments] = value.split('/');
  if (first !== '') return undefined;
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Applies all operations in order, changing `document` in place; gives the result, which may be another value. */
export function applyJsonPatch(document: JsonValue, patch: JsonPatch): JsonValue {
  // The document hangs in a holder so that its root can be replaced like any other value.
  const holder: { root: JsonValue } = { root: document };
  let copiedBytes = 0;
  patch.forEach((operation, i) => {
    const at = new Cursor(holder, i);
    switch (operation.op) {
      case 'add':
        at.add(operation.path, deepCopy(operation.value));
        break;
      case 'replace':
        at.replace(operation.path, deepCopy(operation.value));
        break;
      case 'remove':
        at.remove(operation.path);
        break;
      case 'move':
        if (isInside(operation.path, operation.from)) throw at.refuse('a value cannot move into itself');
        at.add(operation.path, at.remove(operation.from));
        break;
      case 'copy': {
        const value = at.find(operation.from) ?? null;
        copiedBytes += stringifyJson(value).length;
        if (copiedBytes > MAX_COPIED_BYTES) throw new PatchError({ code: 'TooLarge', maxBytes: MAX_COPIED_BYTES });
        at.add(operation.path, deepCopy(value));
        break;
      }
      case 'test':
        at.test(operation.path, operation.value);
        break;
    }
  });
  return holder.root;
}

function isInside(path: Pointer, parent: Pointer): boolean {
  return path.length > parent.length && parent.every((segment, i) => segment === path[i]);
}

/** Finds and changes values for one operation. */
class Cursor {
  readonly #holder: { root: JsonValue };
  readonly #operation: number;

  constructor(holder: { root: JsonValue }, operation: number) {
    this.#holder = holder;
    this.#operation = operation;
  }

  get(path: Pointer): JsonValue {
    const value = this.find(path);
    if (value === undefined) throw this.#missing(path);
    return value;
  }

  test(path: Pointer, expected: JsonValue): void {
    const value = this.find(path) ?? null;
    if (!deepEqual(value, expected)) {
      throw new PatchError({ code: 'TestFailed', operation: this.#operation, path: formatPointer(path) });
    }
  }

  add(path: Pointer, value: JsonValue): void {
    if (path.length === 0) {
      this.#holder.root = value;
      return;
    }
    const { parent, key } = this.#parentOf(path);
    if (Array.isArray(parent)) parent.splice(key === '-' ? parent.length : this.#index(key, parent.length), 0, value);
    else setOwn(parent, key, value);
  }

  replace(path: Pointer, value: JsonValue): void {
    if (path.length === 0) {
      this.#holder.root = value;
      return;
    }
    const { parent, key } = this.#parentOf(path);
    if (Array.isArray(parent)) parent[this.#index(key, parent.length - 1)] = value;
    else setOwn(parent, key, value);
  }

  remove(path: Pointer): JsonValue {
    const value = this.get(path);
    if (path.length === 0) throw this.refuse('the whole document cannot be removed');
    const { parent, key } = this.#parentOf(path);
    if (Array.isArray(parent)) parent.splice(this.#index(key, parent.length - 1), 1);
    else delete parent[key];
    return value;
  }

  refuse(problem: string): PatchError {
    return new PatchError({ code: 'NotApplicable', operation: this.#operation, problem });
  }

  /** The value at a path; `undefined` when there is none. */
  find(path: Pointer): JsonValue | undefined {
    let value: JsonValue | undefined = this.#holder.root;
    for (const segment of path) {
      if (Array.isArray(value)) value = value[indexOf(segment, value.length) ?? -1];
      else if (isJsonObject(value)) value = Object.hasOwn(value, segment) ? value[segment] : undefined;
      else return undefined;
    }
    return value;
  }

  #parentOf(path: Pointer) {
    const parent = this.find(path.slice(0, -1));
    if (!Array.isArray(parent) && !isJsonObject(parent)) throw this.#missing(path);
    return { parent, key: path.at(-1)! };
  }

  /** A position from 0 to `max`; counted from behind when negative. */
  #index(segment: string, max: number): number {
    const index = indexOf(segment, max + 1);
    if (index === undefined || index > max) throw this.refuse(`there is no index ${JSON.stringify(segment)}`);
    return index;
  }

  #missing(path: Pointer): PatchError {
    return this.refuse(`there is nothing at ${JSON.stringify(formatPointer(path))}`);
  }
}

/** As Kubernetes reads positions: signs and leading zeros are allowed, and -1 is the last of `length`. */
function indexOf(segment: string, length: number): number | undefined {
  if (!/^[+-]?\d{1,10}$/.test(segment)) return undefined;
  const index = Number(segment);
  if (index >= 0) return index;
  return index >= -length ? length + index : undefined;
}

function formatPointer(path: Pointer): string {
  return path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
