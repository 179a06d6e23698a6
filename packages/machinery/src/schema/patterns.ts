import { RE2JS } from 're2js';

/** A regular expression in Go's dialect. Matching takes time linear in the text, whatever the pattern. */
export interface Pattern {
  /** How much one character may cost: the size of the compiled automaton. */
  readonly size: number;
  /** Whether the pattern is found anywhere in the text. */
  test(text: string): boolean;
}

export type PatternResult = { readonly pattern: Pattern } | { readonly problem: string };

/** Longer than any pattern people write; what a pattern costs to compile grows with its length. */
export const maxPatternLength = 20_000;

/** How large the compiled automaton may be: matching costs up to this much for each character. */
export const maxPatternSize = 20_000;

/**
 * Compiles a pattern, or says why it cannot be used in the words Go uses. Patterns are remembered: schemas repeat them,
 * and one definition is compiled anew each time it changes.
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
    // Go shows the part that is wrong, even when that is nothing.
    return { problem: problem.endsWith('at end of expression') ? `${problem}: \`\`` : problem };
  }
}

function tooLarge(source: string): PatternResult {
  const shown = source.length > 100 ? `${source.slice(0, 100)}...` : source;
  return { problem: `error parsing regexp: expression too large: \`${shown}\`` };
}
