import { hasPairs, sizeOf } from '../values/describe.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { weightOf } from '../values/weight.ts';

/** Returns the additional cost of a call by its arguments. */
type Surcharge = (args: readonly Value[]) => number;

/**
 * Returns the additional cost of calls for which Kubernetes charges one unit, or only the outermost level, although
 * they traverse long strings and deep values, parse addresses and quantities, or compute local times. With it no unit
 * takes longer than some 100 ns, so that the cost limit also limits the time. An object has a few megabytes at most, so
 * rules that traverse it a few times are not affected.
 */
export function surchargeOf(name: string): Surcharge | undefined {
  return surcharges.get(name);
}

/** Returns the additional cost of a call by its result, where that cannot be foreseen. */
export function resultSurchargeOf(name: string): ((result: Value) => number) | undefined {
  return resultSurcharges.get(name);
}

/**
 * Returns the additional cost of a call whose overload is known only when it is evaluated: of values without declared
 * types, such as all of `object` in a policy. Kubernetes charges one unit for it, however long lists and strings are.
 */
export function dynamicSurchargeOf(name: string): Surcharge | undefined {
  return dynamicSurcharges.get(name);
}

const unitsPerMatch = 10;
/** Copying an item, or looking at one that costs nothing, takes some 20 to 50 ns; in short lists that is ignored. */
const unitsPerItem = 0.5;
const freeItems = 100;
const visitOf = (value: Value): number =>
  value instanceof ListValue && value.size > freeItems ? Math.trunc(value.size * unitsPerItem) : 0;
const resultSurcharges: ReadonlyMap<string, (result: Value) => number> = new Map([
  ['findAll', (found: Value) => (found instanceof ListValue ? found.size * unitsPerMatch : 0)],
  ['flatten', visitOf],
]);

/** Weight up to which uncharged work is ignored. */
const freeWeight = 10;

const aboveFree = (weight: number): number => (weight > freeWeight ? weight : 0);
const constant =
  (units: number): Surcharge =>
  () =>
    units;
const byFirst: Surcharge = ([first]) =>
  first instanceof ListValue || first instanceof MapValue ? 0 : aboveFree(weightOf(first!));
const byLighter: Surcharge = (args) => 2 * aboveFree(Math.min(weightOf(args[0]!), weightOf(args[1]!)));
/** Containers of different sizes differ at once. */
const byComparison: Surcharge = (args) => (isContainer(args[0]!) && sizesDiffer(args) ? 0 : byLighter(args));
const isContainer = (value: Value): boolean => value instanceof ListValue || value instanceof MapValue;
const sizesDiffer = ([a, b]: readonly Value[]): boolean => sizeOf(a!) !== sizeOf(b!);
/** Each item is visited, also where visiting it is free: empty strings, items compared with no other. */
const byItems: Surcharge = (args) => args.reduce((sum: number, arg) => sum + visitOf(arg), 0);
/** Items that are containers are compared with each other down to their leaves. */
const byParts: Surcharge = ([list]) => aboveFree(weightOf(list!) - sizeOf(list!) - 1);
/** Every item may be compared. */
const byItem: Surcharge = ([item, list]) => {
  const weight = aboveFree(weightOf(item!));
  return weight === 0 ? 0 : Math.min(weight * sizeOf(list!), weightOf(list!));
};

/** Scanning for surrogate pairs is fast; only strings that have them are counted. */
const byScan: Surcharge = ([text]) => {
  if (typeof text !== 'string' || text.length <= freeLength) return 0;
  return Math.trunc(text.length / (hasPairs(text) ? 5 : 50));
};
const freeLength = 32;
/** Without a separator, the string is split into characters. */
const bySeparator: Surcharge = ([text, separator]) =>
  separator === '' && typeof text === 'string' ? text.length / 2 : 0;
const plus =
  (units: number, more: Surcharge): Surcharge =>
  (args) =>
    units + more(args);
/** Scalars are formatted quickly, other values are not. */
const byKind: Surcharge = ([value]) => (typeof value === 'object' ? 15 : 2);
const clockTime: Surcharge = (args) => (args.length > 1 ? 300 : 3);

/** Comparing an item with another of a few characters takes up to 10 ns. */
const unitsPerComparison = 0.1;
const byMembers: Surcharge = ([, list]) =>
  list instanceof ListValue && list.size > freeItems ? Math.trunc(list.size * unitsPerComparison) : 0;
const lengthOf = (value: Value): number =>
  typeof value === 'string' || value instanceof Uint8Array ? Math.ceil(value.length * unitsPerCharacter) : 0;
const unitsPerCharacter = 0.1;
const byLength: Surcharge = ([value]) => aboveFree(lengthOf(value!));
const byLengths: Surcharge = ([a, b]) => aboveFree(lengthOf(a!) + lengthOf(b!));
const byShorter: Surcharge = ([a, b]) => aboveFree(Math.min(lengthOf(a!), lengthOf(b!)));
/** Each item is compared with some others: as many as its list can be halved. */
const bySorting: Surcharge = (args) => {
  const keys = args.at(-1)!;
  return keys instanceof ListValue ? Math.trunc(weightOf(keys) * Math.log2(keys.size + 1) * unitsPerComparison) : 0;
};

function* tableOf(surcharge: Surcharge, ...names: readonly string[]): Generator<[string, Surcharge]> {
  for (const name of names) yield [name, surcharge];
}

const surcharges: ReadonlyMap<string, Surcharge> = new Map<string, Surcharge>([
  ...tableOf(byScan, 'size', 'charAt'),
  ...tableOf(plus(3, byFirst), 'lowerAscii', 'upperAscii', 'strings.quote'),
  ...tableOf(plus(8, byFirst), 'matches', 'find', 'findAll'),
  ...tableOf(plus(15, byFirst), 'timestamp', 'duration'),
  ...tableOf(plus(4, byFirst), 'double', 'int', 'uint', 'bytes'),
  ...tableOf(plus(3, bySeparator), 'replace', 'split'),
  ['string', byKind],
  ['format', plus(15, (args) => 2 * weightOf(args[1]!))],
  ...tableOf(plus(10, byFirst), 'isURL', 'getEscapedPath'),
  ...tableOf(plus(20, byFirst), 'url', 'getQuery'),
  ...tableOf(constant(15), 'quantity', 'isQuantity', 'semver', 'isSemver'),
  ...tableOf(constant(25), 'ip', 'isIP', 'isCIDR', 'cidr', 'ip.isCanonical', 'containsIP', 'containsCIDR', 'masked'),
  ...tableOf(constant(5), 'add', 'sub', 'compareTo', 'isGreaterThan', 'isLessThan', 'asApproximateFloat', 'asInteger'),
  ...tableOf(constant(5), 'getHost', 'getHostname', 'getPort', 'getScheme'),
  ...tableOf(byComparison, '_==_', '_!=_'),
  ...tableOf((args) => byItems(args) + byLighter(args), 'sets.contains', 'sets.intersects', 'sets.equivalent'),
  ...tableOf(byItems, 'isSorted', 'sum', 'max', 'min', 'includes', 'join', 'sort', 'flatten'),
  ['distinct', (args) => byItems(args) + byParts(args)],
  ['@in', byItem],
  ...tableOf((args) => byItem([args[1]!, args[0]!]) + byItems(args) + byScan(args), 'indexOf', 'lastIndexOf'),
  ...tableOf(
    clockTime,
    'getFullYear',
    'getMonth',
    'getDayOfYear',
    'getDayOfMonth',
    'getDate',
    'getDayOfWeek',
    'getHours',
    'getMinutes',
    'getSeconds',
    'getMilliseconds',
  ),
]);

const dynamicSurcharges: ReadonlyMap<string, Surcharge> = new Map<string, Surcharge>([
  ['@in', byMembers],
  ['_+_', byLengths],
  ...tableOf(byShorter, '_<_', '_<=_', '_>_', '_>=_'),
  ['string', byLength],
  ...tableOf(bySorting, 'sort', '@sortByAssociatedKeys'),
]);
