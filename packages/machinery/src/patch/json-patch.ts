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

/** Most bytes that all copies together may add to a document. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/** Most items of lists that may be shifted, all together: about a tenth of a second. */
const MAX_SHIFTED_ITEMS = 300_000_000;

/**
 * Applies all operations in order. Neither document nor patch is changed; the result shares parts with both. Throws
 * `PatchError` when an operation does not apply, or when the result would be deeper than any document may be.
 *
 * Kubernetes is more lenient than RFC 6902: `replace` and `copy` read an absent value as `null`, indices may have signs
 * and leading zeros and count from the end when negative, and an `add` without value adds `null`.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonPatch): JsonValue {
  return finish(applyJsonPatchInSteps(document, patch));
}

/** As `applyJsonPatch`, with a pause after each operation, and before a copy is made. */
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

/** The target of a pointer: a member of an object, or an item of a list. */
interface Target {
  readonly container: Container;
  readonly key: string;
}

/** One application of a patch. Containers are copied when they are first changed, so that each is copied once at most. */
class JsonPatchRun {
  document: JsonValue;
  readonly #fresh = new Set<Container>();
  /** Number of members of the objects that were tested: counting those of a large one takes long. */
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
        this.#add(this.#targetToChange(path), value ?? null);
        break;
      case 'replace':
        this.#replace(path, value);
        break;
      case 'remove':
        this.#remove(this.#targetToChange(path));
        break;
      case 'move': {
        const moved = this.#remove(this.#targetToChange(from));
        this.#add(this.#targetToChange(path), moved);
        break;
      }
      case 'copy': {
        const original = this.#get(this.#target(from)) ?? null;
        this.#countCopied(original);
        yield;
        this.#add(this.#targetToChange(path), deepCopy(original));
        break;
      }
      case 'test':
        this.#test(path, value, operation.floats !== undefined);
        break;
      default:
        throw this.#refuse(`unknown operation ${JSON.stringify(operation.op)}`);
    }
  }

  #add({ container, key }: Target, value: JsonValue): void {
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
      if (!isContainer(value)) throw this.#refuse('the new document is neither an object nor a list');
      this.document = value;
      return;
    }
    const { container, key } = this.#targetToChange(path);
    if (Array.isArray(container)) {
      container[this.#index(key, container.length)] = value ?? null;
      return;
    }
    this.#resize(container, Object.hasOwn(container, key) ? 0 : 1);
    setOwn(container, key, value ?? null);
  }

  #remove({ container, key }: Target): JsonValue {
    if (Array.isArray(container)) {
      const index = this.#index(key, container.length);
      this.#countShift(container.length - index);
      return container.splice(index, 1)[0]!;
    }
    const value = getOwn(container, key);
    if (value === undefined) throw this.#refuse(`member ${JSON.stringify(key)} is absent`);
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

  /**
   * An absent value equals `null`, and so does a test without a value. Numbers are compared as they are written, and no
   * stored number is written as `1.0`.
   */
  #test(path: Pointer | undefined, expected: JsonValue | undefined, hasFloats: boolean): void {
    const found = path?.length === 0 ? this.document : (this.#get(this.#target(path)) ?? null);
    const passes = expected === undefined ? found === null : !hasFloats && this.#equal(found, expected);
    if (!passes) {
      throw new PatchError({ code: 'TestFailed', operation: this.#operation, path: formatPointer(path ?? []) });
    }
  }

  /** Takes time proportional to the size of the expected value. */
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

  /** Returns `undefined` for an absent member; an item must exist. */
  #get({ container, key }: Target): JsonValue | undefined {
    return Array.isArray(container) ? container[this.#index(key, container.length)] : getOwn(container, key);
  }

  #target(path: Pointer | undefined): Target {
    return this.#follow(path, (value) => value);
  }

  /** As `#target`, in a container that may be changed. */
  #targetToChange(path: Pointer | undefined): Target {
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

  #follow(path: Pointer | undefined, enter: (container: Container, at: Target | undefined) => Container): Target {
    const key = path?.at(-1);
    if (path === undefined || key === undefined || !isContainer(this.document))
      throw this.#refuse('its pointer has no target');
    let container = enter(this.document, undefined);
    for (let i = 0; i < path.length - 1; i++) {
      const at: Target = { container, key: path[i]! };
      const next = this.#get(at);
      if (!isContainer(next)) throw this.#refuse(`the parent of ${JSON.stringify(formatPointer(path))} is absent`);
      container = enter(next, at);
    }
    return { container, key };
  }

  /** Returns the index below `length` that a segment names. */
  #index(segment: string, length: number): number {
    const index = /^[+-]?\d+$/.test(segment) ? Number(segment) : Number.NaN;
    const fromFront = index < 0 ? index + length : index;
    if (!(fromFront >= 0 && fromFront < length))
      throw this.#refuse(`index ${JSON.stringify(segment)} is not in the list`);
    return fromFront;
  }

  #countShift(items: number): void {
    this.#shiftedItems += items;
    if (this.#shiftedItems > MAX_SHIFTED_ITEMS) throw this.#refuse('it shifts too many items of lists');
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
