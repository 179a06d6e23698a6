import { atomicsOf, checkKeyDefaults, checkTyped, FieldsError, mergeTyped } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';

/**
 * An object with a configuration merged into it, as server-side apply merges. Nobody owns what is added. What can only
 * be replaced as a whole may not be touched: its author seldom means to lose the rest. Throws a `MutationFailure`.
 */
export function applyConfiguration(
  object: JsonObject,
  configuration: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  const { apiVersion = '', kind = '' } = object;
  const applied = { ...configuration, apiVersion, kind };
  try {
    checkKeyDefaults(applied, schema);
    checkTyped(applied, schema, { isNullWrong: true });
  } catch (error) {
    throw refusal(error, 'failed to convert patch object to typed object');
  }
  const atomics = atomicsOf(applied, schema);
  if (atomics.length > 0) {
    const what = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`;
    throw new MutationFailure(`error applying patch: invalid ApplyConfiguration: ${what}`);
  }
  try {
    return mergeTyped(object, applied, schema) as JsonObject;
  } catch (error) {
    throw refusal(error, 'failed to merge patch');
  }
}

function refusal(error: unknown, step: string): unknown {
  if (!(error instanceof FieldsError)) return error;
  return new MutationFailure(`error applying patch: ${step}: ${error.message}`, { cause: error });
}

/** What a policy wants cannot be done to the object. Whether the request goes on is for its `failurePolicy` to say. */
export class MutationFailure extends Error {
  override readonly name = 'MutationFailure';
}
