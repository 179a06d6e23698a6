import { maxPatternLength, maxPatternSize } from '@pintle/machinery/schema';
import { RE2JS } from 're2js';
import { BOOL, INT, listType, STRING } from '../types/type.ts';
import { ArrayList } from '../values/list.ts';
import type { Int } from '../values/numbers.ts';
import { CelError, type Value } from '../values/value.ts';
import { type FunctionDeclaration, func, global, type Library, member } from './declare.ts';

/** States times characters for one call: a quarter of a second at worst, and far more than usual rules need. */
const maxWork = 4_000_000;
const maxWorkOfLarge = 1_000_000;
const largeSize = 100;
/**
 * Nearly all patterns take some 20 ns per character. Those that overflow the matcher's state cache take thousands of
 * times as long; one measurement on a string of this length distinguishes them, even on a busy machine.
 */
const slowNanosPerCharacter = 20_000;
const measurableLength = 1_000;

const maxFound = 100_000;

interface Pattern {
  readonly regex: RE2JS;
  readonly size: number;
  isSlow: boolean;
}

/** Cost of compiling a new pattern, besides its length. */
const compileCost = 1_000;
const maxRemembered = 1_000;
const known = new Map<string, Pattern | CelError>();

/** Returns a cached pattern, because the same ones are used for every object. */
function patternOf(source: string): Pattern | CelError {
  const remembered = known.get(source);
  if (remembered !== undefined) return remembered;
  const pattern = compilePattern(source);
  if (known.size >= maxRemembered) known.clear();
  known.set(source, pattern);
  return pattern;
}

function compilePattern(source: string): Pattern | CelError {
  if (source.length > maxPatternLength) return tooLarge;
  try {
    const regex = RE2JS.compile(source);
    const size = regex.programSize();
    return size > maxPatternSize ? tooLarge : { regex, size, isSlow: false };
  } catch (error) {
    return new CelError(error instanceof Error ? error.message : String(error));
  }
}

const tooLarge = new CelError('error parsing regexp: expression too large');
const tooMuchWork = new CelError('operation cancelled: actual cost limit exceeded');

/** Returns the error of a literal pattern. */
export function compilePatternLiteral(source: string): string | undefined {
  const pattern = patternOf(source);
  return pattern instanceof CelError ? pattern.message : undefined;
}

/** Returns the additional cost of matching: of a new pattern, or of a slow one. */
export function regexSurchargeOf(source: Value, text: Value): number {
  if (typeof source !== 'string') return 0;
  const pattern = known.get(source);
  if (pattern === undefined) return compileCost + source.length;
  if (pattern instanceof CelError || !pattern.isSlow || typeof text !== 'string') return 0;
  return pattern.size * text.length * 10;
}

function matchWithinLimits(source: string, text: string, apply: (regex: RE2JS) => Value): Value {
  const pattern = patternOf(source);
  if (pattern instanceof CelError) return pattern;
  if (pattern.size * text.length > (pattern.size > largeSize ? maxWorkOfLarge : maxWork)) return tooMuchWork;
  if (text.length < measurableLength) return apply(pattern.regex);
  const start = performance.now();
  const result = apply(pattern.regex);
  pattern.isSlow ||= ((performance.now() - start) * 1_000_000) / text.length > slowNanosPerCharacter;
  return result;
}

const matches = (text: string, pattern: string): Value => matchWithinLimits(pattern, text, (regex) => regex.test(text));

function find(text: string, pattern: string): Value {
  return matchWithinLimits(pattern, text, (regex) => {
    const matcher = regex.matcher(text);
    return matcher.find() ? (matcher.group() ?? '') : '';
  });
}

function findAll(text: string, pattern: string, limit: Int = -1): Value {
  return matchWithinLimits(pattern, text, (regex) => {
    const found: string[] = [];
    const matcher = regex.matcher(text);
    while ((limit < 0 || found.length < limit) && matcher.find()) {
      if (found.length >= maxFound) return tooMuchWork;
      found.push(matcher.group() ?? '');
    }
    return new ArrayList(found);
  });
}

export const matchFunction: FunctionDeclaration = func(
  'matches',
  member('matches_string', [STRING, STRING], BOOL, matches),
  global('matches_string', [STRING, STRING], BOOL, matches),
);

export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: [
    func('find', member('string_find_string', [STRING, STRING], STRING, find)),
    func(
      'findAll',
      member('string_find_all_string', [STRING, STRING], listType(STRING), (text: string, pattern: string) =>
        findAll(text, pattern),
      ),
      member('string_find_all_string_int', [STRING, STRING, INT], listType(STRING), findAll),
    ),
  ],
};
