import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import { getPath, isJsonObject } from '@pintle/machinery/json';
import { compileTyped } from '@pintle/machinery/schema';
import type { ObjectReader } from '../resource/served-resource.ts';
import { checkNumberAnnotations } from './number-annotations.ts';

/** Reads objects of a built-in kind; its schema is compiled when the first of them comes. */
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

/** An empty list of managed fields is the wish to forget all owners, and unlike other empty lists not the same as none. */
function keepReset(sent: JsonValue, read: ReturnType<ObjectReader['read']>): ReturnType<ObjectReader['read']> {
  const entries = getPath(sent, 'metadata', 'managedFields');
  const { metadata } = read.value;
  if (Array.isArray(entries) && entries.length === 0 && isJsonObject(metadata)) metadata.managedFields = [];
  return read;
}
