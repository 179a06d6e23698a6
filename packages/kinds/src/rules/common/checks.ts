import {
  addErrors,
  type FieldError,
  type FieldPath,
  invalid,
  MAX_FIELD_ERRORS,
  notSupported,
  required,
} from '@pintle/machinery/errors';
import { compareUtf8, deepEqual } from '@pintle/machinery/json';
import { validatePortName, validatePortNumber } from '@pintle/machinery/names';

/**
 * Yields errors in the order in which Kubernetes reports them. Checks are generators so that a long list of rules reads
 * as one; a kind's `validate` collects them: `collect(checkService(service))`.
 */
export type Check = Generator<FieldError, void, undefined>;

/** Collects the errors of the checks, one after the other, up to `MAX_FIELD_ERRORS`. */
export function collect(...checks: readonly Iterable<FieldError>[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const check of checks) addErrors(errors, check);
  return errors;
}

/** True when the check yields no error; stops at the first one. */
export function passes(check: Check): boolean {
  return check.next().done === true;
}

/** Converts the problems of a rule for text to errors of a field. */
export function problems(path: FieldPath, value: unknown, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}

/** Reports a missing or unsupported value; lists the supported ones in the order given. */
export function checkChoice(path: FieldPath, value: string | undefined, supported: readonly string[]): FieldError[] {
  return !value ? [required(path)] : checkOptionalChoice(path, value, supported);
}

/** As `checkChoice`, for a field that may be missing. */
export function checkOptionalChoice(
  path: FieldPath,
  value: string | undefined,
  supported: readonly string[],
): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

/** As `checkChoice`, for a field whose empty text counts as an unsupported value, not as a missing one. */
export function checkSetChoice(path: FieldPath, value: string | undefined, supported: readonly string[]): FieldError[] {
  return isUnset(value) ? [required(path)] : checkOptionalChoice(path, value, supported);
}

/** True for null too: some fields are read as null while they are unset, because Kubernetes prints them so. */
export function isUnset(value: unknown): value is undefined {
  return value === undefined || value === null;
}

export function checkRequired(path: FieldPath, value: string | undefined, detail?: string): FieldError[] {
  return !value ? [required(path, detail)] : [];
}

export function checkNonNegative(path: FieldPath, value: number | undefined): FieldError[] {
  return (value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** Checks that a field has not changed. `shown` is the value in the message, where Kubernetes prints another form. */
export function checkUnchanged(path: FieldPath, next: unknown, previous: unknown, shown: unknown = next): FieldError[] {
  return deepEqual(next, previous) ? [] : [invalid(path, shown, 'field is immutable')];
}

/** Checks a port's number or name. */
export function checkPort(path: FieldPath, port: number | string): FieldError[] {
  return problems(path, port, typeof port === 'number' ? validatePortNumber(port) : validatePortName(port));
}

/**
 * Returns a map's entries in the order in which Go writes them, so that errors and columns do not depend on the
 * author's order.
 */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): [string, T][] {
  return Object.entries(map ?? {}).sort(([left], [right]) => compareUtf8(left, right));
}

/** As `checkNonNegative`, for several fields of one object, in the order given. */
export function nonNegativeFields<T extends object>(
  object: T,
  names: readonly (keyof T & string)[],
  path: FieldPath,
): FieldError[] {
  return names.flatMap((name) => checkNonNegative(path.child(name), object[name] as number | undefined));
}

export function positive(value: number | undefined, path: FieldPath): FieldError[] {
  return (value ?? 0) <= 0 ? [invalid(path, value ?? 0, 'must be greater than zero')] : [];
}

/** Checks that a text is present and satisfies `rule`. */
export function requiredMatching(
  value: string | undefined,
  rule: (value: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return isEmpty(value) ? [required(path)] : problems(path, value, rule(value));
}

/** Checks that a text satisfies `rule`, if it is present. */
export function optionalMatching(
  value: string | undefined,
  rule: (value: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return isEmpty(value) ? [] : problems(path, value, rule(value));
}

/** Checks every item of a list that may be absent, up to `MAX_FIELD_ERRORS`. */
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

/** Returns the map as Go prints it in an error: sorted, and `null` when it is absent. */
export function shownMap<V>(map: Readonly<Record<string, V>> | undefined): Record<string, V> | null {
  return map === undefined ? null : Object.fromEntries(sortedEntries(map));
}

export function isEmpty(value: string | undefined): value is undefined | '' {
  return value === undefined || value === '';
}
