/** Texts longer than this are not compared line by line: that takes long, and nobody reads the outcome. */
const maxLines = 4_000;
/** Lines that are looked at while runs of equal ones are searched for: some 50 ms. */
const maxLooks = 500_000;
const contextLines = 3;

/** How much may still be compared. Shared by all diffs that one answer needs: of many changes, the first are shown. */
interface DiffBudget {
  looks: number;
}

export function diffBudget(): DiffBudget {
  return { looks: maxLooks };
}

/**
 * What changed from one value to another: their JSON, one space deep, as a unified diff without file names. Empty when
 * the values are equal, too large for it, or so much alike and yet different that the budget does not suffice.
 */
export function jsonDiff(before: unknown, after: unknown, budget = diffBudget()): string {
  if (budget.looks <= 0) return '';
  const [a, b] = [linesOf(before), linesOf(after)];
  budget.looks -= a.length + b.length;
  return a.length > maxLines || b.length > maxLines ? '' : unifiedDiff(a, b, budget);
}

function linesOf(value: unknown): string[] {
  return JSON.stringify(value, undefined, 1).replace(/[<>&]/g, escaped).split('\n');
}

function escaped(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

/** A stretch of lines: `a` from `a1` up to `a2` became `b` from `b1` up to `b2`. */
interface Stretch {
  readonly isSame: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

/** Empty when the budget does not suffice. */
export function unifiedDiff(a: readonly string[], b: readonly string[], budget = diffBudget()): string {
  const matches = matchesOf(a, b, budget);
  if (budget.looks <= 0) return '';
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

/** Changes with a few lines around them; changes that are near each other go together. */
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
 * The longest run of equal lines, then the longest before it and after it, and so on, as Ratcliff and Obershelp have it.
 * Stops where the budget ends.
 */
function matchesOf(a: readonly string[], b: readonly string[], budget: DiffBudget): Match[] {
  const places = placesOf(b);
  const matches: Match[] = [];
  const open = [{ a1: 0, a2: a.length, b1: 0, b2: b.length }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const match = longestMatch(a, b, part, places, budget);
    if (budget.looks <= 0) break;
    if (match.size === 0) continue;
    matches.push(match);
    open.push({ a1: part.a1, a2: match.a1, b1: part.b1, b2: match.b1 });
    open.push({ a1: match.a1 + match.size, a2: part.a2, b1: match.b1 + match.size, b2: part.b2 });
  }
  return matches.sort((one, other) => one.a1 - other.a1 || one.b1 - other.b1);
}

const fewLines = 200;

/** Where each line stands in `b`. In a long text, lines that stand everywhere say nothing about where things moved. */
function placesOf(b: readonly string[]): Map<string, number[]> {
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
  for (let i = a1; i < a2 && budget.looks > 0; i++) {
    const next = new Map<number, number>();
    const found = places.get(a[i]!) ?? [];
    budget.looks -= 1 + found.length;
    for (const j of found) {
      if (j < b1) continue;
      if (j >= b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a1: i - size + 1, b1: j - size + 1, size };
    }
    lengths = next;
  }
  return grown(a, b, best, { a1, a2, b1, b2 });
}

/** The match with the equal lines around it that were too common to begin one. */
function grown(a: readonly string[], b: readonly string[], match: Match, part: Part): Match {
  let { a1, b1, size } = match;
  while (a1 > part.a1 && b1 > part.b1 && a[a1 - 1] === b[b1 - 1]) {
    a1--;
    b1--;
    size++;
  }
  while (a1 + size < part.a2 && b1 + size < part.b2 && a[a1 + size] === b[b1 + size]) size++;
  return { a1, b1, size };
}
