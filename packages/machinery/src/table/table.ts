/**
 * A table that may be looked up with any word, clients' words too. A plain object has more than was put into it:
 * `constructor`, `__proto__` and what else `Object.prototype` has. This has no prototype.
 */
export function table<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null), entries));
}
