import type { JsonObject } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { FieldsError } from '../fields-error.ts';
import type { FieldSet } from '../set/field-set.ts';
import { checkTyped } from '../typed/check-typed.ts';

/** An object in one of its versions, with the schema of that version. */
export interface VersionedObject {
  readonly object: JsonObject;
  readonly schema: Schema | undefined;
}

/** Work that pauses as `Steps` do and, where it yields a promise, waits for that. */
export type FieldSteps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** Converts an object to another version; `undefined` when that version no longer exists, so that its owners are dropped. */
export type Convert = (object: JsonObject, apiVersion: string) => FieldSteps<VersionedObject | undefined>;

/** The facts that every write has. */
export interface WriteContext {
  /** The manager of the write; empty is `unknown`. */
  readonly manager: string;
  /** The version of the request and of all objects given. */
  readonly apiVersion: string;
  /** The subresource of the request; absent for the object itself. */
  readonly subresource?: string | undefined;
  /** Now, RFC 3339 in whole seconds. */
  readonly time: string;
  /**
   * The schema of the object in that version: for a custom resource `customObjectSchema` of its definition's, and
   * absent where there is no schema.
   */
  readonly schema: Schema | undefined;
  /**
   * Fields that a write through this endpoint neither changes nor owns, with all fields inside them: `.status` for the
   * object itself.
   */
  readonly resetFields?: FieldSet | undefined;
  /** Returns whether they are reset in another version too. Default: in all versions. */
  readonly isResetIn?: ((apiVersion: string) => boolean) | undefined;
  /** The stored object may be of another version or older than the schema, as custom resources may, and not fit it. */
  readonly mayViolateSchema?: boolean;
  /** Called for entries of other versions. Without it an object is assumed to be the same in all versions. */
  readonly convert?: Convert | undefined;
}

export function withoutResetFields({ resetFields }: WriteContext, fields: FieldSet): FieldSet {
  return resetFields === undefined ? fields : fields.subtractTrees(resetFields);
}

/** An object with its version. */
export interface Versioned extends VersionedObject {
  readonly apiVersion: string;
}

/** Returns the object in the version of the request. */
export function asRequested(context: WriteContext, object: JsonObject): Versioned {
  return { object, schema: context.schema, apiVersion: context.apiVersion };
}

/**
 * Returns the object in a version, converted if necessary. Throws `FieldsError` when it does not fit the schema of that
 * version; the message begins with `purpose`. Fields that a version does not declare cannot be owned in it.
 */
export function* inVersion(
  context: WriteContext,
  from: Versioned,
  apiVersion: string,
  purpose = '',
): FieldSteps<Versioned | undefined> {
  if (from.apiVersion === apiVersion) return from;
  if (context.convert === undefined) return { ...from, apiVersion };
  const converted = yield* context.convert(from.object, apiVersion);
  if (converted === undefined) return undefined;
  checkConverted(converted, purpose);
  return { ...converted, apiVersion };
}

function checkConverted({ object, schema }: VersionedObject, purpose: string): void {
  try {
    checkTyped(object, schema);
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error;
    throw new FieldsError({ code: 'NotConverted', problem: `${purpose}${error.message}` }, { cause: error });
  }
}
