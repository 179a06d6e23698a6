/** The first item of a list with each key: whoever asks for many of them does not go through the list for each. */
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
 * Tells of each item of a list, asked in their order, whether it came before. Lists may have hundreds of thousands: to
 * look for every one of them among all others would take minutes.
 */
export function repeats<T>(): (item: T) => boolean {
  const seen = new Set<T>();
  return (item) => {
    const isKnown = seen.has(item);
    seen.add(item);
    return isKnown;
  };
}
