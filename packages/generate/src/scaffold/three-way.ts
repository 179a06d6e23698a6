/** What came of a merge: `conflicts` counts the places where both sides say something of their own. */
interface Merged {
  readonly text: string;
  readonly conflicts: number;
}

interface Sides {
  /** What both began with. */
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Longer texts are one place: comparing them line by line would take too long. */
const MOST_LINES = 3000;

/** Both sides' changes, line by line, with markers as git writes them where they meet. */
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

/** What lies between two lines that all three have. */
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

/** Where each line of `a` is in `b`, for a longest common subsequence of the two. */
function matches(a: readonly string[], b: readonly string[]): Matches {
  const found: (number | undefined)[] = new Array(a.length).fill(undefined);
  if (a.length > MOST_LINES || b.length > MOST_LINES) return found;
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
