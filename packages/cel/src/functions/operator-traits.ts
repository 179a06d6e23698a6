import { typeNameOf } from '../values/describe.ts';
import { CelError, noSuchOverload, type Value } from '../values/value.ts';

const numbers = ['int', 'uint', 'double'];
const times = ['google.protobuf.Duration', 'google.protobuf.Timestamp'];
const ordered = new Set([...numbers, ...times, 'bool', 'string', 'bytes']);

/** Types that implement an operator, whatever its other operand is. */
const parts: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['_+_', new Set([...numbers, ...times, 'string', 'bytes', 'list'])],
  ['_-_', new Set([...numbers, ...times])],
  ['_*_', new Set(numbers)],
  ['_/_', new Set(numbers)],
  ['_%_', new Set(['int', 'uint'])],
  ['-_', new Set(['bool', 'double', 'int'])],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, ordered] as const),
]);

/** Types that implement every operator, and refuse wrong operands without naming it. */
const receivers = new Set([...times, 'string']);

/** Names that errors leave out: operators and internal functions. */
const silent = /^\W|_/;

/**
 * Returns the error of an operator that does not apply. It names the operator when the left operand's type never
 * implements it.
 */
export function operatorError(name: string, left: Value): CelError {
  const types = parts.get(name);
  const type = typeNameOf(left);
  if (types?.has(type) || receivers.has(type) || (types === undefined && silent.test(name))) return noSuchOverload;
  return new CelError(`no such overload: ${name}`);
}
