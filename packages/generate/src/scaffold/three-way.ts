/** Result of a merge, with the number of conflicts. */
interface Merged {
  readonly text: string;
  readonly conflicts: number;
}

interface Sides {
  /** Common ancestor of both sides. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Maximum of lines that are compared. A longer text is merged as one chunk. */
const MAX_LINES = 3000;

/** Merges the changes of both sides line by line; conflicts get the markers of git. */
export function mergeThreeWay({ base, mine, theirs }: Sides): Merged {
  const [b, m, t] = [lines(base), lines(mine), lines(theirs)];
  const inMine = matches(b, m);
  const inTheirs = matches(b, t);
  const out: string[] = [];
  let conflicts = 0;
  let [i, j, k] = [0, 0, 0];
  while (i < b.length || j < m.length || k < t.length) {
    const next = nextCommon(b.length, i, inMine, inTheirs);
    const [endMine, endTheirs] = next < b.length ? [inMine[next]!, inTheirs[next]!] : [m.length, t.length];
    const chunk = merged(b.slice(i, next), m.slice(j, endMine), t.slice(k, endTheirs));
    out.push(...chunk.lines);
    if (chunk.isConflict) conflicts++;
    if (next < b.length) out.push(b[next]!);
    [i, j, k] = [next + 1, endMine + 1, endTheirs + 1];
  }
  return { text: out.join('\n'), conflicts };
}

interface Chunk {
  readonly lines: readonly string[];
  readonly isConflict: boolean;
}

/** Merges the lines between two lines that all three texts have. */
function merged(base: readonly string[], mine: readonly string[], theirs: readonly string[]): Chunk {
  if (isSame(mine, theirs) || isSame(base, theirs)) return { lines: mine, isConflict: false };
  if (isSame(base, mine)) return { lines: theirs, isConflict: false };
  const marked = ['<<<<<<< yours', ...mine, '=======', ...theirs, '>>>>>>> scaffold'];
  return { lines: marked, isConflict: true };
}

function lines(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split('\n');
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

type Matches = readonly (number | undefined)[];

function nextCommon(length: number, from: number, inMine: Matches, inTheirs: Matches): number {
  let at = from;
  while (at < length && (inMine[at] === undefined || inTheirs[at] === undefined)) at++;
  return at;
}

/** Returns the index in `b` of each line of `a` in a longest common subsequence. */
function matches(a: readonly string[], b: readonly string[]): Matches {
  const found: (number | undefined)[] = new Array(a.length).fill(undefined);
  if (a.length > MAX_LINES || b.length > MAX_LINES) return found;
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) found[i++] = j++;
    else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) i++;
    else j++;
  }
  return found;
}
