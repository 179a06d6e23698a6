import type { JsonValue } from '../../json/index.ts';
import type { ReadRun } from './read-run.ts';

/** JavaScript types whose values are always what Go would print. Most fields hold such values, which are read without a call. */
export type PlainKind = 'string' | 'boolean' | 'int32' | 'none';

/** Reads values of one Go type and returns them as Go would print them. The container handles null before it calls a reader. */
export interface Reader {
  /** The type in error messages. */
  readonly goType: string;
  readonly plainKind: PlainKind;
  /** True for lists and maps, which in Go may be nil or empty. */
  readonly holdsMany?: true;
  /** True when a value is already as Go would print it, so that `read` can be skipped. False when that is unknown. */
  isPlain(value: JsonValue): boolean;
  /**
   * Returns the value as Go would print it: the same value when nothing changes. Reports a value that does not fit to
   * the run, and then returns any value.
   */
  read(value: JsonValue, run: ReadRun): JsonValue;
  /** Returns what Go prints for an unset variable. */
  zero(): JsonValue;
  /** True when `omitempty` omits a value that was read. */
  isZero(value: JsonValue): boolean;
}

/**
 * The message of Go's decoder for a body that is not an object of its kind:
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`.
 */
export class TypedReadError extends Error {
  override readonly name = 'TypedReadError';
}
