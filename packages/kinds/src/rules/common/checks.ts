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
 * A check yields what is wrong in the order Kubernetes reports it. Checks are generators so that a long list of rules
 * reads as one; a kind's `validate` collects them: `collect(checkService(service))`.
 */
export type Check = Generator<FieldError, void, undefined>;

/** What the checks find, one after the other, until it is more than anybody will read. */
export function collect(...checks: readonly Iterable<FieldError>[]): FieldError[] {
  const errors: FieldError[] = [];
  for (const check of checks) addErrors(errors, check);
  return errors;
}

/** Whether the check finds nothing; it stops at the first thing that it finds. */
export function passes(check: Check): boolean {
  return check.next().done === true;
}

/** Turns the problems that a rule for text has found into errors of a field. */
export function problems(path: FieldPath, value: unknown, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}

/** Missing, or none of the supported values; they are shown in the order given. */
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

/** As `checkChoice`, for a field whose empty text is a choice too, and none of the supported ones. */
export function checkSetChoice(path: FieldPath, value: string | undefined, supported: readonly string[]): FieldError[] {
  return isUnset(value) ? [required(path)] : checkOptionalChoice(path, value, supported);
}

/** Some fields are read as null while they are unset: those that Kubernetes prints so. */
export function isUnset(value: unknown): value is undefined {
  return value === undefined || value === null;
}

export function checkRequired(path: FieldPath, value: string | undefined, detail?: string): FieldError[] {
  return !value ? [required(path, detail)] : [];
}

export function checkNonNegative(path: FieldPath, value: number | undefined): FieldError[] {
  return (value ?? 0) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** The field may not change. The message shows `shown`, for values that Kubernetes prints in a form of its own. */
export function checkUnchanged(path: FieldPath, next: unknown, previous: unknown, shown: unknown = next): FieldError[] {
  return deepEqual(next, previous) ? [] : [invalid(path, shown, 'field is immutable')];
}

/** A port's number, or the name of one. */
export function checkPort(path: FieldPath, port: number | string): FieldError[] {
  return problems(path, port, typeof port === 'number' ? validatePortNumber(port) : validatePortName(port));
}

/** A map's entries in the order in which Go writes them, so that errors and columns do not depend on the author's order. */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): [string, T][] {
  return Object.entries(map ?? {}).sort(([left], [right]) => compareUtf8(left, right));
}

/** The same for several fields of one object, in the order given. */
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

/** A text that must be there and satisfy `rule`. */
export function requiredMatching(
  value: string | undefined,
  rule: (value: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return isEmpty(value) ? [required(path)] : problems(path, value, rule(value));
}

/** A text that, where given, must satisfy `rule`. */
export function optionalMatching(
  value: string | undefined,
  rule: (value: string) => readonly string[],
  path: FieldPath,
): FieldError[] {
  return isEmpty(value) ? [] : problems(path, value, rule(value));
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

/** The map as Go would show it in an error: sorted, and `null` when there is none. */
export function shownMap<V>(map: Readonly<Record<string, V>> | undefined): Record<string, V> | null {
  return map === undefined ? null : Object.fromEntries(sortedEntries(map));
}

export function isEmpty(value: string | undefined): value is undefined | '' {
  return value === undefined || value === '';
}
