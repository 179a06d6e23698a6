/**
 * Returns a table that is safe to look up with any key, also one that a client sent. It has no prototype, so keys such
 * as `constructor` and `__proto__` are absent unless they are in `entries`.
 */
export function table<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null), entries));
}
