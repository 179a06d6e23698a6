import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import { compileTyped } from '@pintle/machinery/schema';
import type { ObjectReader } from './served-resource.ts';

/** Reads objects of a built-in kind; its schema is compiled when the first of them comes. */
export function builtinReader(gvk: GroupVersionKind): ObjectReader {
  let reader: ObjectReader | undefined;
  return {
    read: (value) => {
      if (reader === undefined) {
        const schema = schemaOf(gvk);
        if (schema === undefined) throw new Error(`Cannot read ${gvk.kind}: it has no schema`);
        reader = compileTyped(schema);
      }
      return reader.read(value);
    },
  };
}
