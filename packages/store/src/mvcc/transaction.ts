import { StoreError } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { Operation, StoreLimits, ValueSeal } from '../store.ts';
import { checksumOf } from './record.ts';

/** An operation whose key and size are valid, and whose value cannot change any more. */
export type PreparedOperation =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly expected: Revision | undefined;
      readonly value: Uint8Array;
      /** The value as the engine stores it. */
      readonly sealed: Uint8Array;
      /** Checksum of `sealed`. */
      readonly checksum: number;
      readonly ttlMs: number | undefined;
      readonly isForDeletion: boolean;
    }
  | { readonly type: 'delete'; readonly key: string; readonly expected: Revision | undefined }
  | { readonly type: 'check'; readonly key: string; readonly expected: Revision };

/**
 * Checks everything about a transaction that does not depend on the state of the store. Throws InvalidKey, TooLarge or
 * TooManyOperations.
 */
export function prepare(
  operations: readonly Operation[],
  limits: StoreLimits,
  seal: ValueSeal | undefined,
): PreparedOperation[] {
  if (operations.length > limits.maxOperations) {
    const { maxOperations } = limits;
    throw new StoreError({ code: 'TooManyOperations', operations: operations.length, maxOperations });
  }
  refuseDuplicates(operations);
  const prepared = operations.map((operation) => {
    checkKey(operation.key);
    return operation.type === 'put' ? preparePut(operation, limits, seal) : prepareOther(operation);
  });
  if (limits.maxBytes !== Number.POSITIVE_INFINITY) refuseManyBytes(prepared, limits.maxBytes);
  return prepared;
}

/** Throws TooLarge for the operation with which the transaction exceeds the limit. */
function refuseManyBytes(operations: readonly PreparedOperation[], maxBytes: number): void {
  let bytes = 0;
  for (const operation of operations) {
    bytes += Buffer.byteLength(operation.key) + (operation.type === 'put' ? operation.sealed.length : 0);
    if (bytes > maxBytes) throw new StoreError({ code: 'TooLarge', key: operation.key, bytes, maxBytes });
  }
}

/** Throws InvalidKey unless `key` is 1 to 1,024 bytes of well-formed UTF-8 without NUL. */
function checkKey(key: string): void {
  if (PLAIN_KEY.test(key)) return;
  const problem = problemOf(key);
  if (problem !== undefined) throw new StoreError({ code: 'InvalidKey', key, problem });
}

const MAX_KEY_BYTES = 1024;
const PLAIN_KEY = /^[\x20-\x7e]{1,1024}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

function problemOf(key: string): string | undefined {
  if (key === '') return 'it is empty';
  if (key.includes('\0')) return 'it contains NUL';
  if (LONE_SURROGATE.test(key)) return 'it is not well-formed Unicode';
  const bytes = Buffer.byteLength(key);
  return bytes > MAX_KEY_BYTES ? `it has ${bytes} bytes, more than ${MAX_KEY_BYTES}` : undefined;
}

/** True when the transaction deletes, or takes a step of a deletion, and does nothing else. */
export function isForDeletion(operations: readonly PreparedOperation[]): boolean {
  return operations.every((operation) => operation.type !== 'put' || operation.isForDeletion);
}

function refuseDuplicates(operations: readonly Operation[]): void {
  if (operations.length < 2) return;
  const keys = new Set<string>();
  for (const { key } of operations) {
    if (keys.has(key)) throw new StoreError({ code: 'InvalidKey', key, problem: 'it occurs twice in the transaction' });
    keys.add(key);
  }
}

function preparePut(
  operation: Operation & { type: 'put' },
  { maxValueBytes }: StoreLimits,
  seal: ValueSeal | undefined,
): PreparedOperation {
  const { key, expected, ttlMs, isForDeletion = false } = operation;
  const bytes = operation.value.byteLength;
  if (bytes > maxValueBytes) throw new StoreError({ code: 'TooLarge', key, bytes, maxBytes: maxValueBytes });
  if (ttlMs !== undefined && !(Number.isFinite(ttlMs) && ttlMs >= 0))
    throw new RangeError(`Cannot write ${JSON.stringify(key)}: ${ttlMs} is not a time to live in milliseconds`);
  const value = copyOfValue(operation.value);
  const sealed = seal === undefined ? value : seal.seal(key, value);
  return { type: 'put', key, expected, value, sealed, checksum: checksumOf(sealed), ttlMs, isForDeletion };
}

function prepareOther(operation: Exclude<Operation, { type: 'put' }>): PreparedOperation {
  const { type, key, expected } = operation;
  return type === 'check' ? { type, key, expected } : { type, key, expected };
}

/**
 * Returns a copy of a value that is about to be written. Small ones share slabs that hold nothing else: a value may be
 * held for long, and would keep alive other allocations beside it, such as its request.
 */
export function copyOfValue(value: Uint8Array): Uint8Array {
  const copy = value.length > LARGE_BYTES ? Buffer.allocUnsafeSlow(value.length) : allocate(value.length);
  copy.set(value);
  return copy;
}

const SLAB_BYTES = 16 * 1024;
const LARGE_BYTES = SLAB_BYTES / 2;

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let used = 0;

function allocate(bytes: number): Buffer {
  if (used + bytes > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const place = slab.subarray(used, used + bytes);
  used += bytes;
  return place;
}
