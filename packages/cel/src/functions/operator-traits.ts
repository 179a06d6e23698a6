import { typeNameOf } from '../values/describe.ts';
import { CelError, noSuchOverload, type Value } from '../values/value.ts';

const numbers = ['int', 'uint', 'double'];
const times = ['google.protobuf.Duration', 'google.protobuf.Timestamp'];
const ordered = new Set([...numbers, ...times, 'bool', 'string', 'bytes']);

/** The types that have a part in an operator, whatever stands on its other side. */
const parts: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['_+_', new Set([...numbers, ...times, 'string', 'bytes', 'list'])],
  ['_-_', new Set([...numbers, ...times])],
  ['_*_', new Set(numbers)],
  ['_/_', new Set(numbers)],
  ['_%_', new Set(['int', 'uint'])],
  ['-_', new Set(['bool', 'double', 'int'])],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, ordered] as const),
]);

/** These take any call, to refuse it themselves. */
const receivers = new Set([...times, 'string']);

/** Operators that say no more than that they do not apply are not among the parts. */
const silent = /^\W|_/;

/** What is said when an operator does not apply: its name, where the value on its left never has a part in it. */
export function inapplicable(name: string, left: Value): CelError {
  const types = parts.get(name);
  const type = typeNameOf(left);
  if (types?.has(type) || receivers.has(type) || (types === undefined && silent.test(name))) return noSuchOverload;
  return new CelError(`no such overload: ${name}`);
}
