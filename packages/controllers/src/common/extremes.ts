/** The smallest number; `undefined` when there is none. Takes any number of them, which the arguments of `Math.min` do not. */
export function smallest(numbers: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const number of numbers) if (found === undefined || number < found) found = number;
  return found;
}

/** The largest number; `undefined` when there is none. */
export function largest(numbers: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const number of numbers) if (found === undefined || number > found) found = number;
  return found;
}
