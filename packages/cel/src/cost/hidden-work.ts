import { hasPairs, sizeOf } from '../values/describe.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { weightOf } from '../values/weight.ts';

/** What is charged beside what Kubernetes charges, judged by the arguments of a call. */
type Surcharge = (args: readonly Value[]) => number;

/**
 * What calls really take where Kubernetes charges a single unit, or for the outermost level only: going through long
 * texts and deep values, reading addresses and quantities, finding out what time it is elsewhere. With it, no unit takes
 * longer than some 100 ns, so that what one evaluation may cost is also what it may hold up others for. An object is a few
 * megabytes at most, so rules that look at everything in it a few times never notice.
 */
export function hiddenWork(name: string): Surcharge | undefined {
  return surcharges.get(name);
}

/** What is charged for what a call gave, where that cannot be foreseen. */
export function hiddenYield(name: string): ((result: Value) => number) | undefined {
  return name === 'findAll' ? (found) => (found instanceof ListValue ? found.size * unitsPerMatch : 0) : undefined;
}

const unitsPerMatch = 10;

/** Below this, work that Kubernetes does not charge for is too little to matter. */
const freeWeight = 10;

const heavy = (weight: number): number => (weight > freeWeight ? weight : 0);
const always =
  (units: number): Surcharge =>
  () =>
    units;
const byFirst: Surcharge = ([first]) =>
  first instanceof ListValue || first instanceof MapValue ? 0 : heavy(weightOf(first!));
const byComparison: Surcharge = (args) => 2 * heavy(Math.min(weightOf(args[0]!), weightOf(args[1]!)));
/** Every item may be compared with it. */
const byItem: Surcharge = ([item, list]) => {
  const weight = heavy(weightOf(item!));
  return weight === 0 ? 0 : Math.min(weight * sizeOf(list!), weightOf(list!));
};

/** Texts are looked through for characters that take two places, which is quick; if there are any, they are counted. */
const byScan: Surcharge = ([text]) => {
  if (typeof text !== 'string' || text.length <= freeLength) return 0;
  return Math.trunc(text.length / (hasPairs(text) ? 5 : 50));
};
const freeLength = 32;
/** With nothing between them, characters are taken apart one by one. */
const bySeparator: Surcharge = ([text, separator]) =>
  separator === '' && typeof text === 'string' ? text.length / 2 : 0;
const plus =
  (units: number, more: Surcharge): Surcharge =>
  (args) =>
    units + more(args);
/** Numbers and texts are written at once, other things take time. */
const byKind: Surcharge = ([value]) => (typeof value === 'object' ? 15 : 2);
const clockTime: Surcharge = (args) => (args.length > 1 ? 300 : 3);

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
  ...tableOf(always(15), 'quantity', 'isQuantity', 'semver', 'isSemver'),
  ...tableOf(always(25), 'ip', 'isIP', 'isCIDR', 'cidr', 'ip.isCanonical', 'containsIP', 'containsCIDR', 'masked'),
  ...tableOf(always(5), 'add', 'sub', 'compareTo', 'isGreaterThan', 'isLessThan', 'asApproximateFloat', 'asInteger'),
  ...tableOf(always(5), 'getHost', 'getHostname', 'getPort', 'getScheme'),
  ...tableOf(byComparison, '_==_', '_!=_', 'sets.contains', 'sets.intersects', 'sets.equivalent'),
  ['@in', byItem],
  ...tableOf((args) => byItem([args[1]!, args[0]!]) + byScan(args), 'indexOf', 'lastIndexOf'),
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
