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
