/** Longest line of the compiler that is shown as it is. */
const MAX_LENGTH = 200;

/**
 * Shortens errors of the compiler. The first line of a long one names whole types, and only its last line says what is wrong:
 *
 *     src/a.ts(3,5): error TS2322: Type '{ … }' is not assignable to type '{ … }'.
 *       Types of property 'spec' are incompatible.
 *         Property 'theme' is missing in type '{ … }' but required in type '{ … }'.
 *
 * becomes the place and the last line, then the first one, and the number of those between.
 */
export function shortErrors(output: string): string {
  return output
    .split(/\r?\n(?!\s)/)
    .map(shortError)
    .join('\n');
}

function shortError(error: string): string {
  const [first = '', ...details] = error.split(/\r?\n/);
  const last = details.at(-1);
  const [, place, message] = /^(.*?\(\d+,\d+\): error TS\d+: )(.*)$/.exec(first) ?? [];
  if (last === undefined || place === undefined || message === undefined) return cut(first);
  const between = details.length - 1;
  return [
    cut(`${place}${last.trim()}`),
    `  ${cut(message)}`,
    ...(between > 0 ? [`  … ${between} more ${between === 1 ? 'line' : 'lines'}: npx --no-install tsc --noEmit`] : []),
  ].join('\n');
}

function cut(line: string): string {
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}…`;
}
