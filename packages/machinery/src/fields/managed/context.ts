import type { JsonObject } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { FieldsError } from '../fields-error.ts';
import type { FieldSet } from '../set/field-set.ts';
import { checkTyped } from '../typed/check-typed.ts';

/** An object in a version of its own choice, with the schema it has there. */
export interface VersionedObject {
  readonly object: JsonObject;
  readonly schema: Schema | undefined;
}

/** Work that pauses as `Steps` do and, where it yields a promise, waits for that. */
export type FieldSteps<T> = Generator<Promise<void> | undefined, T, undefined>;

/** Gives an object in another version; `undefined` when that version no longer exists, and its owners with it. */
export type Convert = (object: JsonObject, apiVersion: string) => FieldSteps<VersionedObject | undefined>;

/** What every write has in common. */
export interface WriteContext {
  /** Who writes; empty is `unknown`. */
  readonly manager: string;
  /** The version of the request, in which all objects given are. */
  readonly apiVersion: string;
  /** Through which subresource the request came; absent for the object itself. */
  readonly subresource?: string | undefined;
  /** Now, RFC 3339 in whole seconds. */
  readonly time: string;
  /**
   * The schema of the object in that version; for a custom resource `customObjectSchema` of its definition's, and absent
   * where nothing is known at all.
   */
  readonly schema: Schema | undefined;
  /**
   * Fields that a write through this endpoint does not change and must not own, with all inside of them: `.status` for
   * the object itself.
   */
  readonly resetFields?: FieldSet | undefined;
  /** Whether they are reset in another version too, where versions differ in that; without it they are in all. */
  readonly isResetIn?: ((apiVersion: string) => boolean) | undefined;
  /** What is stored may be of another version or older than the schema, as custom resources may, and not fit it. */
  readonly mayNotFit?: boolean;
  /** Called for entries of other versions. Without it an object is taken to be the same in all of them. */
  readonly convert?: Convert | undefined;
}

export function withoutResetFields({ resetFields }: WriteContext, fields: FieldSet): FieldSet {
  return resetFields === undefined ? fields : fields.subtractTrees(resetFields);
}

/** An object of which the version is known. */
export interface Versioned extends VersionedObject {
  readonly apiVersion: string;
}

/** The object as the request has it. */
export function asRequested(context: WriteContext, object: JsonObject): Versioned {
  return { object, schema: context.schema, apiVersion: context.apiVersion };
}

/**
 * The object in a version, without converting what is in that version already. Throws `FieldsError` when it does not fit
 * there, which is told after `purpose`: what the version does not declare cannot be owned in it.
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
