import type { JsonValue } from '../../json/index.ts';
import type { ReadRun } from './read-run.ts';

/** Values that are what Go would print by their JavaScript type alone. Most fields hold such, and are read without a call. */
export type PlainKind = 'string' | 'boolean' | 'int32' | 'none';

/** Reads values of one Go type and gives them back as Go would print them. Null is the business of whoever holds one. */
export interface Reader {
  /** The type in error messages. */
  readonly goType: string;
  readonly plainKind: PlainKind;
  /** A list or a map, whose variable knows whether it was set to an empty one or never. */
  readonly holdsMany?: true;
  /** Whether a value is already as Go would print it, so that `read` need not be asked. False when that is unknown. */
  isPlain(value: JsonValue): boolean;
  /**
   * The value as Go would print it: the very same when nothing had to change. Complains to the run about a value that
   * does not fit, and then returns anything.
   */
  read(value: JsonValue, run: ReadRun): JsonValue;
  /** What Go prints for a variable nobody has set. */
  zero(): JsonValue;
  /** Whether `omitempty` leaves out a value that was read. */
  isZero(value: JsonValue): boolean;
}

/**
 * Why a body is not an object of its kind, in the words of Go's decoder:
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`.
 */
export class TypedReadError extends Error {
  override readonly name = 'TypedReadError';
}
