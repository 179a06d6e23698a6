import { numberText } from './text.ts';

/** Combination of the values of one line: their sum, the largest, or that of the first text that has it. */
export type Combination = 'sum' | 'largest' | 'first';

interface MergedFamily {
  readonly head: string[];
  /** Values by what stands before them, in the order in which they were found. */
  readonly values: Map<string, number>;
}

/**
 * Adds up texts of Prometheus, as several processes of one server write them: without timestamps, each family begun by its
 * comments. `combinationOf` is called with the name and the type of a family.
 */
export function mergeTexts(
  texts: readonly string[],
  combinationOf: (name: string, type: string) => Combination,
): string {
  const families = new Map<string, MergedFamily>();
  for (const text of texts) {
    let name = '';
    let combination: Combination = 'first';
    let family: MergedFamily = { head: [], values: new Map() };
    let isKnown = false;
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) {
        name = line.split(' ', 3)[2]!;
        isKnown = families.has(name);
        family = families.get(name) ?? { head: [], values: new Map() };
        families.set(name, family);
      }
      if (line.startsWith('# TYPE ')) combination = combinationOf(name, line.slice(line.lastIndexOf(' ') + 1));
      if (line.startsWith('#')) {
        if (!isKnown) family.head.push(line);
      } else if (line !== '') addLine(family.values, line, combination);
    }
  }
  return [...families.values()]
    .map(({ head, values }) =>
      [...head, ...Array.from(values, ([key, value]) => `${key} ${numberText(value)}`)].join('\n'),
    )
    .join('\n\n');
}

function addLine(values: Map<string, number>, line: string, combination: Combination): void {
  const space = line.lastIndexOf(' ');
  const key = line.slice(0, space);
  const value = numberOf(line.slice(space + 1));
  const known = values.get(key);
  if (known === undefined) values.set(key, value);
  else if (combination === 'sum') values.set(key, known + value);
  else if (combination === 'largest') values.set(key, Math.max(known, value));
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
