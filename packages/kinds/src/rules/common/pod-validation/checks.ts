import {
  type FieldError,
  type FieldPath,
  invalid,
  MAX_FIELD_ERRORS,
  notSupported,
  required,
} from '@pintle/machinery/errors';
import { compareUtf8, deepEqual } from '@pintle/machinery/json';

/** One error for each complaint that a rule for texts has about `value`. */
export function complaints(path: FieldPath, value: unknown, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}

export function nonNegative(value: number | undefined, path: FieldPath): FieldError[] {
  return (value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** The same for several fields of one object, in the order given. */
export function nonNegativeFields<T extends object>(
  object: T,
  names: readonly (keyof T & string)[],
  path: FieldPath,
): FieldError[] {
  return names.flatMap((name) => nonNegative(object[name] as number | undefined, path.child(name)));
}

export function positive(value: number | undefined, path: FieldPath): FieldError[] {
  return (value ?? 0) <= 0 ? [invalid(path, value ?? 0, 'must be greater than zero')] : [];
}

/** A text that must be there and be one of a few; `supported` is shown in its order. */
export function oneOf(value: string | undefined, supported: readonly string[], path: FieldPath): FieldError[] {
  return isEmpty(value) ? [required(path)] : supportedValue(value, supported, path);
}

/** As `oneOf`, where an absent value is somebody else's business. */
export function supportedValue(value: string | undefined, supported: readonly string[], path: FieldPath): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

export function requiredText(value: string | undefined, path: FieldPath, detail?: string): FieldError[] {
  return isEmpty(value) ? [required(path, detail)] : [];
}

/** A text that must be there and satisfy `rule`. */
export function requiredMatching(
  value: string | undefined,
  rule: (value: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return isEmpty(value) ? [required(path)] : complaints(path, value, rule(value));
}

/** A text that, where given, must satisfy `rule`. */
export function optionalMatching(
  value: string | undefined,
  rule: (value: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return isEmpty(value) ? [] : complaints(path, value, rule(value));
}

export function immutable(next: unknown, previous: unknown, path: FieldPath, shown: unknown = next): FieldError[] {
  return deepEqual(next, previous) ? [] : [invalid(path, shown, 'field is immutable')];
}

/** Checks every item of a list that may be absent, until more is wrong than anybody will read. */
export function eachItem<T>(
  list: readonly T[] | undefined,
  path: FieldPath,
  check: (item: T, path: FieldPath, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    for (const error of check(item, path.index(index), index)) errors.push(error);
  }
  return errors;
}

/** A map's entries in the order in which Go writes them, so that errors and columns do not depend on the author's order. */
export function sortedEntries<V>(map: Readonly<Record<string, V>> | undefined): [string, V][] {
  return Object.entries(map ?? {}).sort(([left], [right]) => compareUtf8(left, right));
}

/** The map as Go would show it in an error: sorted, and `null` when there is none. */
export function shownMap<V>(map: Readonly<Record<string, V>> | undefined): Record<string, V> | null {
  return map === undefined ? null : Object.fromEntries(sortedEntries(map));
}

export function isEmpty(value: string | undefined): value is undefined | '' {
  return value === undefined || value === '';
}
