/** Returns the first item of a list for each key, so that many lookups need one pass over the list. */
export function firstBy<T>(items: readonly T[] | undefined, keyOf: (item: T) => string): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const item of items ?? []) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}

export function firstByName<T extends { readonly name: string }>(
  items: readonly T[] | undefined,
): ReadonlyMap<string, T> {
  return firstBy(items, ({ name }) => name);
}

/**
 * Returns a function that reports, for each item in turn, whether it occurred before. Lists may have hundreds of
 * thousands of items: comparing all pairs would take minutes.
 */
export function repeats<T>(): (item: T) => boolean {
  const seen = new Set<T>();
  return (item) => {
    const isKnown = seen.has(item);
    seen.add(item);
    return isKnown;
  };
}
