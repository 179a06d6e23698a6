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
