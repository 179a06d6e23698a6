/**
 * Returns a copy that shares nothing with the original, for JSON values and types made of them. Own properties named
 * `__proto__` are copied like any other.
 */
export function deepCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  return (Array.isArray(value) ? copyArray(value) : copyObject(value as Members)) as T;
}

/**
 * True when two JSON values are equal: the order of keys does not matter, a property that is `undefined` counts as
 * absent, and a number equals the `bigint` of the same value.
 */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left === 'object' && typeof right === 'object') {
    if (left === null || right === null) return false;
    if (Array.isArray(left)) return Array.isArray(right) && equalArrays(left, right);
    return !Array.isArray(right) && equalObjects(left as Members, right as Members);
  }
  return equalNumbers(left, right);
}

/** Freezes a JSON value with everything in it, and returns it. Assumes that a frozen object is frozen all the way down. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeDeep(member);
  return Object.freeze(value);
}

type Members = { [key: string]: unknown };

function copyArray(array: readonly unknown[]): unknown[] {
  const copy = array.slice();
  for (let index = 0; index < copy.length; index++) {
    const item = copy[index];
    if (typeof item === 'object' && item !== null) copy[index] = deepCopy(item);
  }
  return copy;
}

/** Spread copies own properties in one native step; assigning to an existing property never calls a setter. */
function copyObject(object: Members): Members {
  const keys = Object.keys(object);
  if (keys.length > WIDE) return copyWide(object, keys);
  const copy = { ...object };
  for (const key of keys) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null) copy[key] = deepCopy(member);
  }
  return copy;
}

/** Objects with more members than this are copied faster one by one than natively. */
const WIDE = 1_000;

function copyWide(object: Members, keys: readonly string[]): Members {
  const copy: Members = {};
  for (const key of keys) {
    const member = deepCopy(object[key]);
    if (key === '__proto__') Object.defineProperty(copy, key, { ...plain, value: member });
    else copy[key] = member;
  }
  return copy;
}

const plain = { enumerable: true, configurable: true, writable: true };

function equalArrays(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!deepEqual(left[index], right[index])) return false;
  }
  return true;
}

/** Objects of one origin list their keys in the same order, so keys are compared pairwise as long as they agree. */
function equalObjects(left: Members, right: Members): boolean {
  const leftKeys = Object.keys(left);
  const rightKeys = Object.keys(right);
  if (leftKeys.length !== rightKeys.length) return equalUnordered(left, leftKeys, right, rightKeys);
  for (let index = 0; index < leftKeys.length; index++) {
    const key = leftKeys[index]!;
    if (key !== rightKeys[index]) return equalUnordered(left, leftKeys, right, rightKeys);
    if (!deepEqual(left[key], right[key])) return false;
  }
  return true;
}

function equalUnordered(left: Members, leftKeys: string[], right: Members, rightKeys: string[]): boolean {
  let present = 0;
  for (const key of leftKeys) {
    if (left[key] === undefined) continue;
    present++;
    if (!Object.hasOwn(right, key) || !deepEqual(left[key], right[key])) return false;
  }
  for (const key of rightKeys) if (right[key] !== undefined) present--;
  return present === 0;
}

function equalNumbers(left: unknown, right: unknown): boolean {
  if (typeof left === 'bigint' && typeof right === 'number') return isSameInteger(left, right);
  if (typeof left === 'number' && typeof right === 'bigint') return isSameInteger(right, left);
  return false;
}

function isSameInteger(integer: bigint, double: number): boolean {
  return Number.isInteger(double) && BigInt(double) === integer;
}
