/** Returns the smallest number; `undefined` without any. Unlike `Math.min` it takes any number of them. */
export function smallest(numbers: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const number of numbers) if (found === undefined || number < found) found = number;
  return found;
}

/** Returns the largest number; `undefined` without any. */
export function largest(numbers: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const number of numbers) if (found === undefined || number > found) found = number;
  return found;
}
