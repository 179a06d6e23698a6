import type { Expr } from '../syntax/ast.ts';
import { isSameType, type Type } from '../types/type.ts';
import { regexFactor, traversal } from './call-cost.ts';
import { add, exactly, multiply, ONE, type Range, scale, UNBOUNDED, UNKNOWN, union } from './range.ts';
import { sortableTypes } from './sortable-types.ts';

/** An operand: its type, its size as far as known, and its path in the object. */
export interface Operand {
  readonly type: Type;
  readonly expr: Expr | undefined;
  readonly path: readonly string[];
  readonly size: Range | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  /** Size of the result, for strings, bytes, lists and maps. */
  readonly size?: Range;
}

/** One call with its receiver, if it has one, and arguments. `sizeAt` returns the size of a value at a path. */
interface EstimatedCall {
  readonly name: string;
  readonly overload: string;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  sizeAt(path: readonly string[]): Range | undefined;
}

type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

/**
 * Returns Kubernetes' estimate for calls of its own functions. These numbers are API: they decide which rules a
 * definition may contain. `undefined`: the rules of the standard library apply.
 */
export function estimateCall(call: EstimatedCall): CallEstimate | undefined {
  return byOverload.get(call.overload)?.(call) ?? byName.get(call.name)?.(call);
}

function sizeOf({ size, path }: Operand, call: EstimatedCall): Range {
  return size ?? (path.length === 0 ? undefined : call.sizeAt(path)) ?? UNKNOWN;
}

const fixed =
  (cost: number): Estimate =>
  () => ({ cost: exactly(cost) });

const overTarget =
  (factor: number): Estimate =>
  (call) => {
    if (call.target === undefined) return undefined;
    const size = sizeOf(call.target, call);
    return { cost: scale(size, factor * traversal), size };
  };

const overFirst =
  (factor: number): Estimate =>
  (call) => {
    const [first] = call.args;
    return first && { cost: scale(sizeOf(first, call), factor * traversal) };
  };

/** Returns the items of a list as an operand. */
function itemsOf({ type, path }: Operand): Operand | undefined {
  const [item] = type.params;
  if (item === undefined) return undefined;
  return { type: item, expr: undefined, path: path.length === 0 ? [] : [...path, '@items'], size: undefined };
}

const overList: Estimate = (call) => {
  const { target } = call;
  if (target === undefined) return undefined;
  const items = itemsOf(target);
  const size = sizeOf(target, call);
  if (items === undefined) return { cost: call.name === 'includes' ? multiply(size, ONE) : scale(size, traversal) };
  const isText = items.type.kind === 'string' || items.type.kind === 'bytes';
  return { cost: multiply(size, isText ? add(ONE, scale(sizeOf(items, call), traversal)) : ONE) };
};

const sameSize: Estimate = (call) => {
  const [first] = call.args;
  if (first === undefined) return undefined;
  const size = sizeOf(first, call);
  return { cost: scale(size, traversal), size };
};

const replace: Estimate = (call) => {
  const [from, to] = call.args;
  if (call.target === undefined || from === undefined || to === undefined) return undefined;
  const size = sizeOf(call.target, call);
  const most = replacedSize(size.max, sizeOf(from, call).min, sizeOf(to, call).max, (a, b) => a <= b);
  const least = replacedSize(size.min, sizeOf(from, call).max, sizeOf(to, call).min, (a, b) => a >= b);
  return { cost: scale(size, 2 * traversal), size: { min: least, max: most } };
};

/** Returns the length of a string after `from` characters are replaced by `to` as often as possible. */
function replacedSize(size: number, from: number, to: number, keeps: (to: number, from: number) => boolean): number {
  if (from === 0) return Math.min(UNBOUNDED, (size + 1) * to + size);
  return keeps(to, from) ? size : Math.min(UNBOUNDED, Math.ceil(size / from) * to);
}

const split: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const size = sizeOf(call.target, call);
  const limit = intLiteral(call.args[1]);
  return {
    cost: scale(size, 2 * traversal),
    size: { min: 0, max: limit === undefined ? size.max : limit < 0 ? UNBOUNDED : limit },
  };
};

function intLiteral(operand: Operand | undefined): number | undefined {
  const expr = operand?.expr;
  return expr?.kind === 'literal' && expr.literal.type === 'int' ? Number(expr.literal.value) : undefined;
}

const join: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const list = sizeOf(call.target, call);
  const items = itemsOf(call.target);
  let size = items === undefined ? exactly(0) : multiply(list, sizeOf(items, call));
  const [separator] = call.args;
  if (separator !== undefined) {
    const gaps = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
    size = add(size, multiply(sizeOf(separator, call), gaps));
  }
  return { cost: scale(size, traversal), size };
};

const find: Estimate = (call) => {
  const [pattern] = call.args;
  if (call.target === undefined || pattern === undefined) return undefined;
  const text = sizeOf(call.target, call);
  const cost = multiply(scale(add(text, ONE), traversal), scale(sizeOf(pattern, call), regexFactor));
  return { cost, size: { min: 0, max: text.max } };
};

const addressBytes: Range = { min: 4, max: 16 };

const contained =
  (isRange: boolean, parses: boolean): Estimate =>
  (call) => {
    const [other] = call.args;
    if (other === undefined) return undefined;
    const compared = scale(add(addressBytes, addressBytes), traversal);
    const masked = isRange ? add(scale(addressBytes, traversal), ONE) : exactly(0);
    const parsed = parses ? scale(sizeOf(other, call), traversal) : exactly(0);
    return { cost: add(compared, masked, parsed) };
  };

const nameRegexSize = 128;
const formatSize = 64;

const validate: Estimate = (call) => {
  const [text] = call.args;
  return text && { cost: scale(scale(sizeOf(text, call), traversal), nameRegexSize * regexFactor) };
};

const selector: Estimate = (call) => {
  const [text] = call.args;
  if (text === undefined) return undefined;
  const size = sizeOf(text, call);
  return { cost: add(exactly(10), scale(size, traversal), scale(scale(size, 0.5), 50)) };
};

/** Values of Kubernetes' types are compared in one step, except formats and URLs. */
const equality: Estimate = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined || !isSameType(left.type, right.type)) return undefined;
  const { kind, name } = left.type;
  if (kind === 'opaque') return name === 'net.IP' || name === 'net.CIDR' ? { cost: ONE } : undefined;
  if (kind !== 'struct') return undefined;
  if (name === 'kubernetes.NamedFormat') return { cost: scale({ min: 1, max: formatSize }, traversal) };
  if (name === 'kubernetes.URL') return { cost: scale({ min: 1, max: right.size?.max ?? 1 }, traversal) };
  const isOwn =
    name === 'kubernetes.Quantity' || name === 'kubernetes.Semver' || name.startsWith('kubernetes.authorization.');
  return isOwn ? { cost: ONE } : undefined;
};

const sets =
  (factor: number): Estimate =>
  (call) => {
    const [left, right] = call.args;
    if (left === undefined || right === undefined) return undefined;
    return { cost: add(scale(multiply(sizeOf(left, call), sizeOf(right, call)), factor), ONE) };
  };

function allocated(factor: number, size: Range): CallEstimate {
  return { cost: add(scale(size, factor), ONE, exactly(10)), size };
}

const slice: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const start = Math.max(intLiteral(call.args[0]) ?? 0, 0);
  const end = Math.max(intLiteral(call.args[1]) ?? sizeOf(call.target, call).max, 0);
  // A negative size wraps around in Kubernetes and is refused as too expensive.
  return allocated(1, exactly(end < start ? UNBOUNDED - (start - end) : end - start));
};

const flatten: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const depth = call.args.length === 0 ? 1 : Math.max(intLiteral(call.args[0]) ?? UNBOUNDED, 0);
  return allocated(depth, sizeOf(call.target, call));
};

const range: Estimate = (call) => allocated(1, exactly(Math.max(intLiteral(call.args[0]) ?? UNBOUNDED, 0)));

const reverse: Estimate = (call) => call.target && allocated(1, sizeOf(call.target, call));

const pairwise =
  (pick: (call: EstimatedCall) => Operand | undefined, factor: number): Estimate =>
  (call) => {
    const list = pick(call);
    if (list === undefined) return undefined;
    const size = sizeOf(list, call);
    return allocated(factor, multiply(size, size));
  };

const byOverload: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
  ['list_slice', slice],
  ['list_flatten', flatten],
  ['list_flatten_int', flatten],
  ['lists_range', range],
  ['list_reverse', reverse],
  ['list_distinct', pairwise(({ target }) => target, 2)],
  ...sortableTypes.flatMap((type) => {
    const factor = type === 'string' || type === 'bytes' ? 2 + traversal : 2;
    return [
      [`list_${type}_sort`, pairwise(({ target }) => target, factor)] as const,
      [`list_${type}_sortByAssociatedKeys`, pairwise(({ args }) => args[0], factor)] as const,
    ];
  }),
  ['cidr_ip', fixed(1)],
  ['cidr_contains_ip_ip', contained(false, false)],
  ['cidr_contains_ip_string', contained(false, true)],
  ['cidr_contains_cidr', contained(true, false)],
  ['cidr_contains_cidr_string', contained(true, true)],
]);

const accessors = [
  ...[
    'serviceAccount',
    'path',
    'group',
    'resource',
    'subresource',
    'namespace',
    'name',
    'allowed',
    'reason',
    'error',
    'errored',
  ],
  ...['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast'],
  ...['isGlobalUnicast', 'format.named', 'sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan'],
  ...['isLessThan', 'compareTo', 'add', 'sub', 'major', 'minor', 'patch'],
  ...['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'],
];

const byName: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['check', fixed(350_000)],
  ...accessors.map((name) => [name, fixed(1)] as const),
  ['fieldSelector', selector],
  ['labelSelector', selector],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'includes'].map((name) => [name, overList] as const),
  ['url', sameSize],
  ['jsonpatch.escapeKey', sameSize],
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, overTarget(1)] as const),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['find', find],
  ['findAll', find],
  ...['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'].map(
    (name) => [name, overFirst(1)] as const,
  ),
  ['ip.isCanonical', overFirst(2)],
  ['validate', validate],
  ['_==_', equality],
]);

/** Returns a range that covers several overloads. */
export function widest(a: Range | undefined, b: Range | undefined): Range | undefined {
  return a === undefined || b === undefined ? (a ?? b) : union(a, b);
}
