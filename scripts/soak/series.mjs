// Growth of a series of measurements, and its plot in a terminal.

/**
 * Returns the growth per second of points `[seconds, value]`: the median of the slopes between all pairs (Theil–Sen), which a few
 * outliers do not move.
 */
export function slopeOf(points) {
  const slopes = [];
  for (let i = 0; i < points.length; i++)
    for (let j = i + 1; j < points.length; j++) {
      const seconds = points[j][0] - points[i][0];
      if (seconds > 0) slopes.push((points[j][1] - points[i][1]) / seconds);
    }
  if (slopes.length === 0) return 0;
  slopes.sort((a, b) => a - b);
  return slopes[Math.floor(slopes.length / 2)];
}

const HEIGHT = 8;
const WIDTH = 72;

/** Returns lines that plot values over time, with the largest and smallest value beside them. */
export function plot(title, points) {
  const values = points.map(([, value]) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || 1;
  const first = points[0][0];
  const seconds = points.at(-1)[0] - first || 1;
  const grid = Array.from({ length: HEIGHT }, () => Array.from({ length: WIDTH }, () => ' '));
  for (const [at, value] of points) {
    const x = Math.round(((at - first) / seconds) * (WIDTH - 1));
    const y = Math.round(((most - value) / span) * (HEIGHT - 1));
    grid[y][x] = '•';
  }
  const label = (row) => (row === 0 ? most : row === HEIGHT - 1 ? least : undefined);
  const lines = grid.map((row, y) => {
    const value = label(y);
    return `${(value === undefined ? '' : value.toFixed(1)).padStart(8)} │${row.join('').trimEnd()}`;
  });
  const minutes = (points.at(-1)[0] / 60).toFixed(1);
  return [title, ...lines, `${' '.repeat(9)}└${'─'.repeat(WIDTH)} ${minutes} min`];
}

/** Returns what is open at the end beyond the beginning and some slack, in words. */
export function leaksOf(before, after, slack = 2) {
  return Object.keys(after)
    .filter((type) => after[type] > (before[type] ?? 0) + slack)
    .map((type) => `${type}: ${before[type] ?? 0} before, ${after[type]} after`);
}
