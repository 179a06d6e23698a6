import type { FieldError, FieldPath } from '@pintle/machinery/errors';
import { addErrors, invalid, notSupported, required } from '@pintle/machinery/errors';
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
export function* checkChoice(path: FieldPath, value: string | undefined, supported: readonly string[]): Check {
  if (!value) yield required(path);
  else if (!supported.includes(value)) yield notSupported(path, value, supported);
}

/** As `checkChoice`, for a field that may be missing. */
export function* checkOptionalChoice(path: FieldPath, value: string | undefined, supported: readonly string[]): Check {
  if (value !== undefined && !supported.includes(value)) yield notSupported(path, value, supported);
}

/** As `checkChoice`, for a field whose empty text is a choice too, and none of the supported ones. */
export function* checkSetChoice(path: FieldPath, value: string | undefined, supported: readonly string[]): Check {
  if (isUnset(value)) yield required(path);
  else if (!supported.includes(value)) yield notSupported(path, value, supported);
}

/** Some fields are read as null while they are unset: those that Kubernetes prints so. */
export function isUnset(value: unknown): value is undefined {
  return value === undefined || value === null;
}

export function* checkRequired(path: FieldPath, value: string | undefined): Check {
  if (!value) yield required(path);
}

export function* checkNonNegative(path: FieldPath, value: number | undefined): Check {
  if (value !== undefined && value < 0) yield invalid(path, value, 'must be greater than or equal to 0');
}

/** The field may not change. The message shows `shown`, for values that Kubernetes prints in a form of its own. */
export function* checkUnchanged(path: FieldPath, next: unknown, previous: unknown, shown: unknown = next): Check {
  if (!deepEqual(next, previous)) yield invalid(path, shown, 'field is immutable');
}

/** A port's number, or the name of one. */
export function checkPort(path: FieldPath, port: number | string): FieldError[] {
  return problems(path, port, typeof port === 'number' ? validatePortNumber(port) : validatePortName(port));
}

/** Entries of a map whose order in a message should not depend on how the map was written. */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): [string, T][] {
  return Object.entries(map ?? {}).sort(([left], [right]) => compareUtf8(left, right));
}
