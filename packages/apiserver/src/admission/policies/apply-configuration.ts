import { atomicsOf, checkKeyDefaults, checkTyped, FieldsError, mergeTyped } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';

/**
 * Returns the object with a configuration merged into it, as server-side apply merges. Records no owners. Refuses to
 * set atomic fields, because that would drop the rest of their value. Throws a `MutationFailure`.
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
    checkTyped(applied, schema, { refusesNull: true });
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

/**
 * A mutation that cannot be applied to the object. The policy's `failurePolicy` decides whether the request goes on.
 */
export class MutationFailure extends Error {
  override readonly name = 'MutationFailure';
}
