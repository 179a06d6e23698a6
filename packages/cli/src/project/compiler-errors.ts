/** Longest line of the compiler that is shown as it is. */
const MAX_LENGTH = 200;
/** Number of errors that are shown: what the operator logs meanwhile stays on the screen. */
const MAX_ERRORS = 10;

/**
 * Shortens errors of the compiler. The first line of a long one names whole types, and only its last line says what is wrong:
 *
 *     src/a.ts(3,5): error TS2322: Type '{ … }' is not assignable to type '{ … }'.
 *       Types of property 'spec' are incompatible.
 *         Property 'theme' is missing in type '{ … }' but required in type '{ … }'.
 *
 * becomes the place and the last line, then the first one, and the number of those between. Of many errors the first are shown.
 */
export function shortErrors(output: string): string {
  const errors = output.split(/\r?\n(?!\s)/);
  const rest = errors.length - MAX_ERRORS;
  return [
    ...errors.slice(0, MAX_ERRORS).map(shortError),
    ...(rest > 0 ? [`… ${rest} more ${rest === 1 ? 'error' : 'errors'}: npx --no-install tsc --noEmit`] : []),
  ].join('\n');
}

function shortError(error: string): string {
  const [first = '', ...details] = error.split(/\r?\n/);
  const last = details.at(-1);
  const wrongPath = pathThatLeadsNowhere(error);
  const [, place, message] = /^(.*?\(\d+,\d+\): error TS\d+: )(.*)$/.exec(first) ?? [];
  if (place !== undefined && wrongPath !== undefined) return cut(`${place}${wrongPath}`);
  if (last === undefined || place === undefined || message === undefined) return cut(first);
  const between = details.length - 1;
  return [
    cut(`${place}${last.trim()}`),
    `  ${cut(message)}`,
    ...(between > 0 ? [`  … ${between} more ${between === 1 ? 'line' : 'lines'}: npx --no-install tsc --noEmit`] : []),
  ].join('\n');
}

/** Returns what is wrong with the path of a column, whose error is the name of a type: `LeadsNowhere<".spec.hst", …>`. */
function pathThatLeadsNowhere(error: string): string | undefined {
  const [, path, rest = ''] = /LeadsNowhere<"([^"\n]*)",([^\n]*)/.exec(error) ?? [];
  if (path === undefined) return undefined;
  const instead = [...new Set([...rest.matchAll(/"(\.[^"]*)"/g)].map(([, each = '']) => each))];
  const [nearest] = instead
    .map((each) => ({ each, distance: distanceOf(path, each) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance);
  if (nearest !== undefined) return `The path "${path}" leads nowhere. Did you mean "${nearest.each}"?`;
  return `The path "${path}" leads nowhere. Use one of ${instead.join(', ')}`;
}

/** Longest path of a column that is compared. */
const MAX_PATH = 200;
const MAX_DISTANCE = 3;

/** Returns how many characters to insert, remove or replace to get from one text to another. */
function distanceOf(from: string, to: string): number {
  if (from.length > MAX_PATH || to.length > MAX_PATH) return MAX_PATH;
  let row = Array.from({ length: to.length + 1 }, (_each, at) => at);
  for (const [at, char] of [...from].entries()) {
    const next = [at + 1];
    for (let col = 0; col < to.length; col++)
      next.push(Math.min(row[col + 1]! + 1, next[col]! + 1, row[col]! + (char === to[col] ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}

function cut(line: string): string {
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}…`;
}
