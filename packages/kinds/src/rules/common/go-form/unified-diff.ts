/** Most lines of a text that is compared line by line: longer ones take long, and their diffs are unreadable. */
const maxLines = 4_000;
/** Most lines that are compared while searching for runs of equal ones: some 50 ms. */
const maxComparisons = 500_000;
const contextLines = 3;

/** The comparisons that remain. Shared by all diffs of one response: of many changes, the first are shown. */
interface DiffBudget {
  comparisons: number;
}

export function diffBudget(): DiffBudget {
  return { comparisons: maxComparisons };
}

/**
 * Returns the changes between two values: a unified diff of their JSON, indented by one space, without file names.
 * Empty when the values are equal or too large, or when the budget does not suffice.
 */
export function jsonDiff(before: unknown, after: unknown, budget = diffBudget()): string {
  if (budget.comparisons <= 0) return '';
  const [a, b] = [linesOf(before), linesOf(after)];
  budget.comparisons -= a.length + b.length;
  return a.length > maxLines || b.length > maxLines ? '' : unifiedDiff(a, b, budget);
}

function linesOf(value: unknown): string[] {
  return JSON.stringify(value, undefined, 1).replace(/[<>&]/g, escaped).split('\n');
}

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

/** A range of lines: `a` from `a1` up to `a2` became `b` from `b1` up to `b2`. */
interface Stretch {
  readonly isSame: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

/** Returns an empty text when the budget does not suffice. */
export function unifiedDiff(a: readonly string[], b: readonly string[], budget = diffBudget()): string {
  const matches = matchesOf(a, b, budget);
  if (budget.comparisons <= 0) return '';
  return hunksOf(stretchesOf(a, b, matches))
    .map((hunk) => printHunk(hunk, a, b))
    .join('');
}

function printHunk(hunk: readonly Stretch[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0]!, hunk.at(-1)!];
  const lines = hunk.flatMap(({ isSame, a1, a2, b1, b2 }) =>
    isSame
      ? a.slice(a1, a2).map((line) => ` ${line}`)
      : [...a.slice(a1, a2).map((line) => `-${line}`), ...b.slice(b1, b2).map((line) => `+${line}`)],
  );
  const header = `@@ -${range(first.a1, last.a2)} +${range(first.b1, last.b2)} @@`;
  return [header, ...lines].map((line) => `${line}\n`).join('');
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Groups changes with a few lines around them; changes that are near each other share a hunk. */
function hunksOf(stretches: readonly Stretch[]): Stretch[][] {
  const hunks: Stretch[][] = [];
  let hunk: Stretch[] = [];
  for (const [index, stretch] of stretches.entries()) {
    if (!stretch.isSame) {
      hunk.push(stretch);
      continue;
    }
    const isFirst = index === 0;
    const isLast = index === stretches.length - 1;
    const length = stretch.a2 - stretch.a1;
    if (!isFirst && !isLast && length <= 2 * contextLines) {
      hunk.push(stretch);
      continue;
    }
    if (!isFirst) {
      hunk.push(headOf(stretch));
      hunks.push(hunk);
    }
    hunk = isLast ? [] : [tailOf(stretch)];
  }
  if (hunk.some(({ isSame }) => !isSame)) hunks.push(hunk);
  return hunks;
}

function headOf({ a1, a2, b1, b2 }: Stretch): Stretch {
  return { isSame: true, a1, a2: Math.min(a2, a1 + contextLines), b1, b2: Math.min(b2, b1 + contextLines) };
}

function tailOf({ a1, a2, b1, b2 }: Stretch): Stretch {
  return { isSame: true, a1: Math.max(a1, a2 - contextLines), a2, b1: Math.max(b1, b2 - contextLines), b2 };
}

function stretchesOf(a: readonly string[], b: readonly string[], matches: readonly Match[]): Stretch[] {
  const stretches: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const { a1, b1, size } of [...matches, { a1: a.length, b1: b.length, size: 0 }]) {
    if (i < a1 || j < b1) stretches.push({ isSame: false, a1: i, a2: a1, b1: j, b2: b1 });
    i = a1 + size;
    j = b1 + size;
    const last = stretches.at(-1);
    if (size > 0 && last?.isSame) stretches[stretches.length - 1] = { ...last, a2: i, b2: j };
    else if (size > 0) stretches.push({ isSame: true, a1, a2: i, b1, b2: j });
  }
  return stretches;
}

interface Match {
  readonly a1: number;
  readonly b1: number;
  readonly size: number;
}

/**
 * Finds the longest run of equal lines, then the longest before and after it, and so on, after Ratcliff and Obershelp.
 * Stops when the budget is used up.
 */
function matchesOf(a: readonly string[], b: readonly string[], budget: DiffBudget): Match[] {
  const places = positionsOf(b);
  const matches: Match[] = [];
  const open = [{ a1: 0, a2: a.length, b1: 0, b2: b.length }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const match = longestMatch(a, b, part, places, budget);
    if (budget.comparisons <= 0) break;
    if (match.size === 0) continue;
    matches.push(match);
    open.push({ a1: part.a1, a2: match.a1, b1: part.b1, b2: match.b1 });
    open.push({ a1: match.a1 + match.size, a2: part.a2, b1: match.b1 + match.size, b2: part.b2 });
  }
  return matches.sort((one, other) => one.a1 - other.a1 || one.b1 - other.b1);
}

const fewLines = 200;

/** Returns the positions of each line in `b`. In a long text, drops lines that are too frequent to align by. */
function positionsOf(b: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of b.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  const most = b.length < fewLines ? Number.POSITIVE_INFINITY : Math.floor(b.length / 100) + 1;
  for (const [line, found] of places) if (found.length > most) places.delete(line);
  return places;
}

type Part = Omit<Stretch, 'isSame'>;

function longestMatch(
  a: readonly string[],
  b: readonly string[],
  { a1, a2, b1, b2 }: Part,
  places: ReadonlyMap<string, readonly number[]>,
  budget: DiffBudget,
): Match {
  let best: Match = { a1, b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2 && budget.comparisons > 0; i++) {
    const next = new Map<number, number>();
    const found = places.get(a[i]!) ?? [];
    budget.comparisons -= 1 + found.length;
    for (const j of found) {
      if (j < b1) continue;
      if (j >= b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a1: i - size + 1, b1: j - size + 1, size };
    }
    lengths = next;
  }
  return extended(a, b, best, { a1, a2, b1, b2 });
}

/** Extends the match by equal lines around it that were too frequent to begin one. */
function extended(a: readonly string[], b: readonly string[], match: Match, part: Part): Match {
  let { a1, b1, size } = match;
  while (a1 > part.a1 && b1 > part.b1 && a[a1 - 1] === b[b1 - 1]) {
    a1--;
    b1--;
    size++;
  }
  while (a1 + size < part.a2 && b1 + size < part.b2 && a[a1 + size] === b[b1 + size]) size++;
  return { a1, b1, size };
}
