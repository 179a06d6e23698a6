import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import { getPath, isJsonObject } from '@pintle/machinery/json';
import { compileTyped } from '@pintle/machinery/schema';
import type { ObjectReader } from '../resource/served-resource.ts';
import { checkNumberAnnotations } from './number-annotations.ts';

/** Reads objects of a built-in kind. Compiles its schema with the first object. */
export function builtinReader(gvk: GroupVersionKind): ObjectReader {
  let reader: ObjectReader | undefined;
  return {
    read: (value, options) => {
      if (reader === undefined) {
        const schema = schemaOf(gvk);
        if (schema === undefined) throw new Error(`Cannot read ${gvk.kind}: it has no schema`);
        reader = compileTyped(schema);
      }
      const read = reader.read(value, options);
      checkNumberAnnotations(gvk, read.value);
      return keepReset(value, read);
    },
  };
}

/**
 * Keeps an empty `managedFields`: it asks to reset all owners, so unlike other empty lists it differs from an absent
 * one.
 */
function keepReset(sent: JsonValue, read: ReturnType<ObjectReader['read']>): ReturnType<ObjectReader['read']> {
  const entries = getPath(sent, 'metadata', 'managedFields');
  const { metadata } = read.value;
  if (Array.isArray(entries) && entries.length === 0 && isJsonObject(metadata)) metadata.managedFields = [];
  return read;
}
