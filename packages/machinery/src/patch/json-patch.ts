import type { JsonObject, JsonValue } from '../json/index.ts';
import {
  deepCopy,
  deepEqual,
  getOwn,
  isJsonObject,
  JsonError,
  requestLimits,
  setOwn,
  stringifyJson,
} from '../json/index.ts';
import { finish, type Steps } from '../rules/steps.ts';
import type { JsonPatch, JsonPatchOperation, Pointer } from './json-patch-operations.ts';
import { formatPointer } from './json-patch-operations.ts';
import { PatchError } from './patch-error.ts';

/** Copies may make a document grow by so much, all together. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/** Items of lists that may have to make room for others, all together: what takes a tenth of a second. */
const MAX_SHIFTED_ITEMS = 300_000_000;

/**
 * Applies all operations in order. Neither document nor patch is changed; the result shares with both. Throws
 * `PatchError` when an operation does not apply, or when the result would be deeper than any document may be.
 *
 * Kubernetes is more forgiving than RFC 6902: `replace` and `copy` take what is absent for `null`, positions may have
 * signs and leading zeros and count from behind when negative, and an `add` without value adds `null`.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonPatch): JsonValue {
  return finish(applyJsonPatchInSteps(document, patch));
}

/** As `applyJsonPatch`, with a pause after each operation, and before what is to be copied. */
export function* applyJsonPatchInSteps(document: JsonValue, patch: JsonPatch): Steps<JsonValue> {
  const run = new JsonPatchRun(document);
  for (const [i, operation] of patch.entries()) {
    yield* run.apply(operation, i);
    yield;
  }
  if (patch.length > 0 && !isWithin(run.document, requestLimits.maxDepth)) {
    throw new PatchError({ code: 'TooDeep', maxDepth: requestLimits.maxDepth });
  }
  return run.document;
}

type Container = JsonObject | JsonValue[];

/** Where a value stands: a member of an object, or an item of a list. */
interface Place {
  readonly container: Container;
  readonly key: string;
}

/** One application of a patch. Containers are copied when they are first changed, so that each is copied once at most. */
class JsonPatchRun {
  document: JsonValue;
  readonly #fresh = new Set<Container>();
  /** How many members the objects have that were tested: counting those of a large one takes long. */
  readonly #sizes = new Map<JsonObject, number>();
  #operation = 0;
  #copiedBytes = 0;
  #shiftedItems = 0;

  constructor(document: JsonValue) {
    this.document = document;
  }

  *apply(operation: JsonPatchOperation, i: number): Steps<void> {
    this.#operation = i;
    const { path, from, value } = operation;
    switch (operation.op) {
      case 'add':
        this.#add(this.#placeToChange(path), value ?? null);
        break;
      case 'replace':
        this.#replace(path, value);
        break;
      case 'remove':
        this.#remove(this.#placeToChange(path));
        break;
      case 'move': {
        const moved = this.#remove(this.#placeToChange(from));
        this.#add(this.#placeToChange(path), moved);
        break;
      }
      case 'copy': {
        const original = this.#get(this.#place(from)) ?? null;
        this.#countCopied(original);
        yield;
        this.#add(this.#placeToChange(path), deepCopy(original));
        break;
      }
      case 'test':
        this.#test(path, value, operation.floats !== undefined);
        break;
      default:
        throw this.#refuse(`there is no operation ${JSON.stringify(operation.op)}`);
    }
  }

  #add({ container, key }: Place, value: JsonValue): void {
    if (!Array.isArray(container)) {
      this.#resize(container, Object.hasOwn(container, key) ? 0 : 1);
      setOwn(container, key, value);
      return;
    }
    const index = key === '-' ? container.length : this.#index(key, container.length + 1);
    this.#countShift(container.length - index);
    container.splice(index, 0, value);
  }

  #replace(path: Pointer | undefined, value: JsonValue | undefined): void {
    if (path?.length === 0) {
      if (!isContainer(value)) throw this.#refuse('a document is an object or a list');
      this.document = value;
      return;
    }
    const { container, key } = this.#placeToChange(path);
    if (Array.isArray(container)) {
      container[this.#index(key, container.length)] = value ?? null;
      return;
    }
    this.#resize(container, Object.hasOwn(container, key) ? 0 : 1);
    setOwn(container, key, value ?? null);
  }

  #remove({ container, key }: Place): JsonValue {
    if (Array.isArray(container)) {
      const index = this.#index(key, container.length);
      this.#countShift(container.length - index);
      return container.splice(index, 1)[0]!;
    }
    const value = getOwn(container, key);
    if (value === undefined) throw this.#refuse(`there is no ${JSON.stringify(key)}`);
    this.#resize(container, -1);
    delete container[key];
    return value;
  }

  #countCopied(value: JsonValue): void {
    try {
      this.#copiedBytes += Buffer.byteLength(stringifyJson(value));
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw new PatchError({ code: 'TooDeep', maxDepth: requestLimits.maxDepth });
    }
    if (this.#copiedBytes > MAX_COPIED_BYTES) throw new PatchError({ code: 'TooLarge', maxBytes: MAX_COPIED_BYTES });
  }

  /** What is absent equals `null`, and a test that names no value. */
  /** Numbers are compared as they are written, and no stored number is written as `1.0`. */
  #test(path: Pointer | undefined, expected: JsonValue | undefined, hasFloats: boolean): void {
    const found = path?.length === 0 ? this.document : (this.#get(this.#place(path)) ?? null);
    const passes = expected === undefined ? found === null : !hasFloats && this.#equal(found, expected);
    if (!passes) {
      throw new PatchError({ code: 'TestFailed', operation: this.#operation, path: formatPointer(path ?? []) });
    }
  }

  /** Takes no longer than the expected value is large. */
  #equal(found: JsonValue, expected: JsonValue): boolean {
    if (typeof expected !== 'object' || expected === null) return deepEqual(found, expected);
    if (Array.isArray(expected)) {
      if (!Array.isArray(found) || found.length !== expected.length) return false;
      return expected.every((item, i) => this.#equal(found[i]!, item));
    }
    if (!isJsonObject(found)) return false;
    const names = Object.keys(expected);
    if (names.length !== this.#sizeOf(found)) return false;
    return names.every((name) => Object.hasOwn(found, name) && this.#equal(found[name]!, expected[name]!));
  }

  #sizeOf(object: JsonObject): number {
    const known = this.#sizes.get(object);
    if (known !== undefined) return known;
    const size = Object.keys(object).length;
    this.#sizes.set(object, size);
    return size;
  }

  #resize(object: JsonObject, by: number): void {
    const known = this.#sizes.get(object);
    if (known !== undefined) this.#sizes.set(object, known + by);
  }

  /** `undefined` for a member that is absent; an item must be there. */
  #get({ container, key }: Place): JsonValue | undefined {
    return Array.isArray(container) ? container[this.#index(key, container.length)] : getOwn(container, key);
  }

  #place(path: Pointer | undefined): Place {
    return this.#follow(path, (value) => value);
  }

  /** The same, in a container that may be changed. */
  #placeToChange(path: Pointer | undefined): Place {
    return this.#follow(path, (value, at) => {
      if (this.#fresh.has(value)) return value;
      const copy = Array.isArray(value) ? value.slice() : { ...value };
      this.#fresh.add(copy);
      if (at === undefined) this.document = copy;
      else if (Array.isArray(at.container)) at.container[this.#index(at.key, at.container.length)] = copy;
      else setOwn(at.container, at.key, copy);
      return copy;
    });
  }

  #follow(path: Pointer | undefined, enter: (container: Container, at: Place | undefined) => Container): Place {
    const key = path?.at(-1);
    if (path === undefined || key === undefined || !isContainer(this.document)) throw this.#refuse('it leads nowhere');
    let container = enter(this.document, undefined);
    for (let i = 0; i < path.length - 1; i++) {
      const at: Place = { container, key: path[i]! };
      const next = this.#get(at);
      if (!isContainer(next)) throw this.#refuse(`there is nothing at ${JSON.stringify(formatPointer(path))}`);
      container = enter(next, at);
    }
    return { container, key };
  }

  /** The position below `length` that a segment names. */
  #index(segment: string, length: number): number {
    const index = /^[+-]?\d+$/.test(segment) ? Number(segment) : Number.NaN;
    const fromFront = index < 0 ? index + length : index;
    if (!(fromFront >= 0 && fromFront < length)) throw this.#refuse(`there is no index ${JSON.stringify(segment)}`);
    return fromFront;
  }

  #countShift(items: number): void {
    this.#shiftedItems += items;
    if (this.#shiftedItems > MAX_SHIFTED_ITEMS) throw this.#refuse('too many items of lists would have to move');
  }

  #refuse(problem: string): PatchError {
    return new PatchError({ code: 'NotApplicable', operation: this.#operation, problem });
  }
}

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function isWithin(value: JsonValue, depth: number): boolean {
  if (!isContainer(value)) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isWithin(item, depth - 1));
  for (const name in value) if (!isWithin(value[name]!, depth - 1)) return false;
  return true;
}
