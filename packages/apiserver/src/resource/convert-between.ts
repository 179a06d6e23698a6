import type { JsonObject } from '@pintle/machinery/json';
import { asJson, deepCopy } from '@pintle/machinery/json';
import type { ServedResource } from './served-resource.ts';
import { asObject } from './served-resource.ts';

/** A built-in object as another version of its resource has it. Half an object is made whole by reading it, as conversions expect it. */
export function convertBetween(from: ServedResource, to: ServedResource, object: JsonObject): JsonObject {
  const read = asObject(from.reader.read(deepCopy(object)).value, from);
  const stored = from.conversion?.toStorage(read) ?? read;
  const { kind, apiVersion } = to.type;
  return asJson({ ...(to.conversion?.fromStorage(stored) ?? stored), kind, apiVersion });
}
