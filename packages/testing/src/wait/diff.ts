import { formatJson } from '@pintle/machinery/errors';
import { deepEqual, isJsonObject } from '@pintle/machinery/json';

/** A field whose value is not the expected one. */
export interface Difference {
  /** `status.conditions[0].type` */
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/**
 * Returns where `found` differs from `expected`. Fields that `expected` does not mention may have any value; lists must have
 * the same length. `undefined` means that the field must be absent.
 */
export function differences(expected: unknown, found: unknown, path = ''): Difference[] {
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return [{ path, expected, found }];
    return expected.flatMap((item, index) => differences(item, found[index], `${path}[${index}]`));
  }
  if (isObject(expected) && isObject(found)) {
    return Object.keys(expected).flatMap((key) =>
      differences(
        expected[key],
        Object.hasOwn(found, key) ? found[key] : undefined,
        path === '' ? key : `${path}.${key}`,
      ),
    );
  }
  return isSame(expected, found) ? [] : [{ path, expected, found }];
}

/** Describes each difference by its path, a line with the expected value and one with the found value. */
export function describeDifferences(all: readonly Difference[]): string {
  return all
    .map(
      ({ path, expected, found }) =>
        `  ${path === '' ? '(all)' : path}${lengthNote(expected, found)}\n    - ${show(expected)}\n    + ${show(found)}`,
    )
    .join('\n');
}

/** Says why a list that has all the expected items, and others, does not match. */
function lengthNote(expected: unknown, found: unknown): string {
  if (!Array.isArray(expected) || !Array.isArray(found) || expected.length === found.length) return '';
  return ` (a list is compared as a whole: ${expected.length} expected, ${found.length} found)`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value as never);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && deepEqual(a as never, b as never));
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = formatJson(value as never);
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text;
}
