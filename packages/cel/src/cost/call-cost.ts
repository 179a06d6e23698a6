import { regexSurchargeOf } from '../functions/regex.ts';
import { sizeOf } from '../values/describe.ts';
import { JsonList } from '../values/json-values.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { OpaqueValue, type Value } from '../values/value.ts';
import { weightOf } from '../values/weight.ts';
import { sortableTypes } from './sortable-types.ts';
import { dynamicSurchargeOf, surchargeOf } from './surcharges.ts';

/** Returns the cost of a call by its arguments, the receiver first. It is charged before the call. */
type CallCost = (args: readonly Value[]) => number;

/** Traversing a string costs a tenth per character; regular expressions a quarter per character. */
export const traversal = 0.1;
export const regexFactor = 0.25;
const listCreation = 10;

/**
 * Returns the run-time cost of a call as Kubernetes charges it; `undefined`: one unit, whatever the arguments. Some
 * rules are keyed by function and some by overload, as in Kubernetes.
 */
export function callCost(name: string, overload: string): CallCost | undefined {
  const charged = byOverload.get(overload) ?? byName.get(name);
  const hidden = [surchargeOf(name), overload === '' ? dynamicCost(name) : undefined].filter(
    (each) => each !== undefined,
  );
  if (hidden.length === 0) return charged;
  return (args) => hidden.reduce((cost, more) => cost + more(args), charged === undefined ? 1 : charged(args));
}

/** Unions of sets and keyed lists cost the same whether or not their types are declared. */
function dynamicCost(name: string): CallCost | undefined {
  const surcharge = dynamicSurchargeOf(name);
  return name === '_+_' && surcharge !== undefined ? (args) => surcharge(args) + union(args) - 1 : surcharge;
}

const size = (args: readonly Value[], index: number): number => sizeOf(args[index]!);
const traverse = (characters: number, factor = 1): number => Math.ceil(characters * factor * traversal);
const overFirst: CallCost = (args) => traverse(size(args, 0));
const twiceOverFirst: CallCost = (args) => traverse(size(args, 0), 2);
const overShorter: CallCost = (args) => traverse(Math.min(size(args, 0), size(args, 1)));
const overBoth: CallCost = (args) => traverse(size(args, 0) + size(args, 1));
const overTree: CallCost = (args) => traversalOf(args[0]!);
const regex: CallCost = (args) =>
  traverse(1 + size(args, 0)) * Math.ceil(size(args, 1) * regexFactor) + regexSurchargeOf(args[1]!, args[0]!);
const equality: CallCost = (args) => (args[0] instanceof OpaqueValue ? 1 : overShorter(args));

/** Sets and keyed lists are hashed for unions. */
function isLargeUnion([first, second]: readonly Value[]): boolean {
  return first instanceof JsonList && first.listType !== 'atomic' && first.size + sizeOf(second!) > 100;
}

const union: CallCost = (args) => (isLargeUnion(args) ? weightOf(args[0]!) + weightOf(args[1]!) : 1);

const utf8 = new TextEncoder();
const shortLength = 100;

/** Counts the bytes of a string in UTF-8. Encoding a short one takes longer than what its cost stands for. */
function byteLengthOf(text: string): number {
  if (text.length > shortLength) return utf8.encode(text).length;
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair counts as one more: four bytes in all.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Returns the cost of visiting every leaf of a value. */
function traversalOf(value: Value): number {
  if (typeof value === 'string') return Math.trunc(byteLengthOf(value) * traversal);
  if (value instanceof Uint8Array) return Math.trunc(value.length * traversal);
  if (value instanceof ListValue) return value.items().reduce((sum: number, item) => sum + traversalOf(item), 0);
  if (!(value instanceof MapValue)) return 1;
  return value.keys().reduce((sum: number, key) => sum + traversalOf(key) + traversalOf(value.get(key) ?? null), 0);
}

const sets =
  (factor: number): CallCost =>
  (args) =>
    1 + Math.trunc(size(args, 0) * size(args, 1) * factor);
const allocated = (factor: number, items: number): number => Math.trunc(items * factor) + 1 + listCreation;
/** Depends on the result: an error counts as one item. */
function sliced(args: readonly Value[]): number {
  const [start, end] = [Number(args[1]), Number(args[2])];
  return allocated(1, start < 0 || end < start || end > size(args, 0) ? 1 : end - start);
}
const ranged: CallCost = (args) => allocated(1, clamp(Number(args[0])));
const reversed: CallCost = (args) => allocated(1, size(args, 0));
const clamp = (count: number): number => Math.max(count, 0);
const flattened: CallCost = (args) => allocated(args.length === 2 ? Number(args[1]) : 1, size(args, 0));

/** Worst case: all pairs are compared. */
function pairwise(list: Value): number {
  if (!(list instanceof ListValue) || list.size === 0) return allocated(2, 0);
  const first = list.at(0);
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return allocated(isText ? 2 + traversal : 2, list.size ** 2);
}

/** Length of the result, which is known in advance. */
const joined: CallCost = ([list, separator = '']) => {
  if (!(list instanceof ListValue)) return 1;
  const gaps = Math.max(list.size - 1, 0) * sizeOf(separator);
  return traverse(
    list.items().reduce((sum: number, item) => sum + sizeOf(item), gaps),
    2,
  );
};

const selector: CallCost = (args) => {
  const length = args.length < 2 ? 0 : size(args, 1);
  return listCreation + traverse(length) + Math.ceil(Math.ceil(length * 0.5) * 50);
};

const contained =
  (extra: number, parsesString: boolean): CallCost =>
  (args) =>
    traverse(size(args, 0) * 2) +
    (extra > 0 ? traverse(size(args, 0)) + extra : 0) +
    (parsesString ? traverse(size(args, 1)) : 0);

const byOverload: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[
    'starts_with_string',
    'ends_with_string',
    'string_to_bytes',
    'bytes_to_string',
    'strings_quote',
    'string_format',
  ].map((id) => [id, overFirst] as const),
  ['in_list', (args) => size(args, 1)],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id) => [
    [`${id}_string`, overShorter] as const,
    [`${id}_bytes`, overShorter] as const,
  ]),
  ['equals', equality],
  ['not_equals', equality],
  ['add_list', union],
  ['add_string', overBoth],
  ['add_bytes', overBoth],
  ['matches_string', regex],
  ['contains_string', (args) => traverse(size(args, 0)) * traverse(size(args, 1))],
  ['cidr_ip', () => 1],
  ['cidr_contains_ip_ip', contained(0, false)],
  ['cidr_contains_ip_string', contained(0, true)],
  ['cidr_contains_cidr', contained(1, false)],
  ['cidr_contains_cidr_string', contained(1, true)],
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
  ['list_slice', sliced],
  ['list_flatten', flattened],
  ['list_flatten_int', flattened],
  ['lists_range', ranged],
  ['list_reverse', reversed],
  ['list_distinct', (args) => pairwise(args[0]!)],
  ...sortableTypes.flatMap((type) => [
    [`list_${type}_sort`, ((args) => pairwise(args[0]!)) as CallCost] as const,
    [`list_${type}_sortByAssociatedKeys`, ((args) => pairwise(args[1]!)) as CallCost] as const,
  ]),
]);

const byName: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['check', () => 350_000],
  ['fieldSelector', selector],
  ['labelSelector', selector],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'includes'].map((name) => [name, overTree] as const),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey'].map(
    (name) => [name, overFirst] as const,
  ),
  ...['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'].map(
    (name) => [name, overFirst] as const,
  ),
  ['replace', twiceOverFirst],
  ['split', twiceOverFirst],
  ['ip.isCanonical', twiceOverFirst],
  ['join', joined],
  ['find', regex],
  ['findAll', regex],
  ['validate', (args) => traverse(1 + size(args, 1)) * Math.ceil(size(args, 0) * regexFactor)],
]);
