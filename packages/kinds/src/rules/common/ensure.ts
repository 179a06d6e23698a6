/** The object in a field, made empty when it is missing. */
export function ensure<T extends object, K extends keyof T>(object: T, field: K): NonNullable<T[K]> {
  object[field] ??= {} as NonNullable<T[K]>;
  return object[field] as NonNullable<T[K]>;
}
