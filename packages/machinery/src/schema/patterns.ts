import { RE2JS } from 're2js';

/** A regular expression in Go's dialect. Matching takes time linear in the text, whatever the pattern. */
export interface Pattern {
  /** Size of the compiled automaton: the most that matching one character costs. */
  readonly size: number;
  /** True when the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

export type PatternResult = { readonly pattern: Pattern } | { readonly problem: string };

/** Most characters of a pattern. No pattern that people write is longer, and the cost of compiling grows with the length. */
export const maxPatternLength = 20_000;

/** Largest compiled automaton: matching costs up to this much for each character. */
export const maxPatternSize = 20_000;

/**
 * Compiles a pattern, or returns Go's message why it cannot be used. Caches patterns: schemas repeat them, and a
 * definition is compiled again each time it changes.
 */
export function compilePattern(source: string): PatternResult {
  const remembered = known.get(source);
  if (remembered !== undefined) return remembered;
  const result = compile(source);
  if (known.size >= maxRemembered) known.clear();
  known.set(source, result);
  return result;
}

const maxRemembered = 1_000;
const known = new Map<string, PatternResult>();

function compile(source: string): PatternResult {
  if (source.length > maxPatternLength) return tooLarge(source);
  try {
    const compiled = RE2JS.compile(source);
    const size = compiled.programSize();
    return size > maxPatternSize ? tooLarge(source) : { pattern: { size, test: (text) => compiled.test(text) } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    // Go quotes the wrong part, even when it is empty.
    return { problem: problem.endsWith('at end of expression') ? `${problem}: \`\`` : problem };
  }
}

function tooLarge(source: string): PatternResult {
  const shown = source.length > 100 ? `${source.slice(0, 100)}...` : source;
  return { problem: `error parsing regexp: expression too large: \`${shown}\`` };
}
