export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Line numbers on either side. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Beyond so many steps the rest counts as replaced: a bound for texts that have nothing in common. */
const MAX_EDITS = 2000;

/** The shortest way from one text to another, line by line (Myers). */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  const lines: DiffLine[] = [];
  for (let i = 0; i < start; i++) lines.push({ type: 'same', text: before[i]!, before: i + 1, after: i + 1 });
  for (const [type, i, j] of editsOf(a, b)) {
    const text = type === 'added' ? b[j]! : a[i]!;
    lines.push({
      type,
      text,
      before: type === 'added' ? undefined : start + i + 1,
      after: type === 'removed' ? undefined : start + j + 1,
    });
  }
  for (let k = end; k > 0; k--) {
    const i = before.length - k;
    lines.push({ type: 'same', text: before[i]!, before: i + 1, after: after.length - k + 1 });
  }
  return lines;
}

type Edit = [DiffLine['type'], number, number];

function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  const trail = traceOf(a, b);
  if (trail === undefined) {
    return [...a.map((_, i): Edit => ['removed', i, 0]), ...b.map((_, j): Edit => ['added', a.length, j])];
  }
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trail.length - 1; d >= 0; d--) {
    const reach = trail[d]!;
    const k = x - y;
    const isDown = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const previous = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (reach.get(previous) ?? 0);
    const fromY = fromX - previous;
    while (x > Math.max(fromX, 0) && y > Math.max(d === 0 ? 0 : fromY, 0)) edits.push(['same', --x, --y]);
    if (d === 0) break;
    if (isDown) edits.push(['added', x, --y]);
    else edits.push(['removed', --x, y]);
  }
  return edits.reverse();
}

function traceOf(a: readonly string[], b: readonly string[]): Map<number, number>[] | undefined {
  const reach = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_EDITS); d++) {
    trail.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = isDown ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach.set(k, x);
      if (x >= a.length && y >= b.length) return trail;
    }
  }
  return undefined;
}
