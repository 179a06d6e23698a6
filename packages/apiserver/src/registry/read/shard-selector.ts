import type { Call, Expr, LiteralValue } from '@pintle/cel';
import { unclassifiedError } from '@pintle/machinery/errors';
import type { ShardField, ShardRange } from '@pintle/machinery/selectors';
import { SHARD_FIELDS, ShardSelector } from '@pintle/machinery/selectors';
import type { RequestContext } from '../../resource/endpoint.ts';

/**
 * Reads the `shardSelector` of a list or watch (KEP-5866); `undefined` without one, or while the feature is off. Throws as
 * Kubernetes does: a plain 500.
 */
export async function readShardSelector({ query, shards }: RequestContext): Promise<ShardSelector | undefined> {
  const text = query.get('shardSelector') ?? '';
  if (text === '' || !shards.isEnabled) return undefined;
  // Most requests have no selector: the parser is loaded with the first one.
  const { parse } = await import('@pintle/cel');
  try {
    return parseShardSelector(text, parse);
  } catch (error) {
    if (!(error instanceof SelectorProblem)) throw error;
    throw unclassifiedError(500, `invalid shard selector: ${error.message}`);
  }
}

class SelectorProblem extends Error {}

type Parse = typeof import('@pintle/cel')['parse'];

interface Requirement extends ShardRange {
  readonly field: ShardField;
}

/** Parses an expression of `shardRange` calls that are joined by `||`. Nothing is evaluated. */
export function parseShardSelector(text: string, parse: Parse): ShardSelector {
  const source = text.trim();
  if (source === '')
    throw new SelectorProblem('empty shard selector is not allowed; omit the parameter for unfiltered lists');
  const parsed = parse(source, { hasMacros: false });
  if ('issues' in parsed) throw new SelectorProblem(`CEL parse error: ${parsed.issues[0]!.message}`);
  const requirements = requirementsIn(parsed.expr);
  const [{ field }] = requirements as [Requirement];
  const other = requirements.find((each) => each.field !== field);
  if (other !== undefined)
    throw new SelectorProblem(`all shard ranges must use the same field, got "${field}" and "${other.field}"`);
  return new ShardSelector(
    field,
    requirements.map(({ start, end }) => ({ start, end })),
  );
}

function requirementsIn(expr: Expr): Requirement[] {
  if (expr.kind !== 'call')
    throw new SelectorProblem(
      `unexpected expression kind ${KINDS[expr.kind]}; expected shardRange() call or || operator`,
    );
  if (expr.name === '_||_') return expr.args.flatMap(requirementsIn);
  if (expr.name === 'shardRange') return [requirementOf(expr)];
  throw new SelectorProblem(`unsupported function ${JSON.stringify(expr.name)}; only shardRange() and || are allowed`);
}

/** Numbers of Go's kinds of expressions, which its messages have. */
const KINDS: Readonly<Record<Expr['kind'], number>> = {
  call: 1,
  comprehension: 2,
  ident: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
};

function requirementOf({ args }: Call): Requirement {
  const [path, from, to] = args;
  if (args.length !== 3) throw new SelectorProblem(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  const field = fieldOf(pathOf(path!));
  const start = boundOf(from!, 'hexStart');
  const end = boundOf(to!, 'hexEnd');
  // Texts of equal length compare as numbers; the longer one is the larger.
  if (start.length > end.length || (start.length === end.length && start >= end))
    throw new SelectorProblem(`shard range start ${start} must be less than end ${end}`);
  return { field, start, end };
}

function fieldOf(path: string): ShardField {
  const field = SHARD_FIELDS.find((each) => each === path);
  if (field !== undefined) return field;
  throw new SelectorProblem(
    `unsupported field path ${JSON.stringify(path)}; supported: object.metadata.uid, object.metadata.namespace`,
  );
}

function pathOf(expr: Expr): string {
  if (expr.kind === 'ident') return `${expr.isRooted ? '.' : ''}${expr.name}`;
  if (expr.kind === 'select') return `${pathOf(expr.operand)}.${expr.field}`;
  throw new SelectorProblem(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${KINDS[expr.kind]}`,
  );
}

const LAST_BOUND = '0x10000000000000000';

function boundOf(expr: Expr, name: string): string {
  if (expr.kind !== 'literal')
    throw new SelectorProblem(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${KINDS[expr.kind]}`,
    );
  const { literal } = expr;
  if (literal.type !== 'string')
    throw new SelectorProblem(`${name} must be a string literal, got ${GO_TYPES[literal.type]}`);
  const { value } = literal;
  const quoted = JSON.stringify(value);
  if (!value.startsWith('0x')) throw new SelectorProblem(`${name} must have '0x' prefix, got ${quoted}`);
  const digits = value.slice(2);
  const length = Buffer.byteLength(digits);
  if (length === 0) throw new SelectorProblem(`${name}: hex value is required after '0x'`);
  if (length > 17)
    throw new SelectorProblem(`${name}: hex value too long (${length} chars, max 17): ${JSON.stringify(digits)}`);
  const other = [...digits].find((digit) => !HEX_DIGITS.includes(digit));
  if (other !== undefined)
    throw new SelectorProblem(`${name}: invalid hex character ${JSON.stringify(other)} in ${quoted}`);
  if (length === 17 && value !== LAST_BOUND)
    throw new SelectorProblem(`${name}: 17-digit hex value must be '${LAST_BOUND}' (2^64), got ${quoted}`);
  if (length < 16)
    throw new SelectorProblem(
      `${name} must be a 0x-prefixed 16-digit hex value, got ${quoted} (did you mean "0x${digits.padStart(16, '0')}"?)`,
    );
  return value;
}

const HEX_DIGITS = '0123456789abcdef';

const GO_TYPES: Readonly<Record<Exclude<LiteralValue['type'], 'string'>, string>> = {
  null: 'structpb.NullValue',
  bool: 'bool',
  int: 'int64',
  uint: 'uint64',
  double: 'float64',
  bytes: '[]uint8',
};
