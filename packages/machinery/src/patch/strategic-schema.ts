import { fieldSchema, type Schema } from '../schema/index.ts';
import { PatchError } from './patch-error.ts';

/** Patch strategy of a field of a built-in kind. */
export interface PatchField {
  readonly schema: Schema;
  /** `replace` uses the patch's value instead of merging, the default for lists. */
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly retainsKeys: boolean;
  /** The field that identifies the items of a list; empty for lists of scalars. */
  readonly mergeKey: string;
}

/** Returns how the schema patches a field that both patch and document have. Throws `PatchError` for an unknown field. */
export function patchField(schema: Schema | undefined, name: string): PatchField {
  const field = schema?.properties !== undefined ? fieldSchema(schema, name) : undefined;
  if (field === undefined) throw new PatchError({ code: 'CannotMerge', problem: noSuchField(schema, name) });
  const strategies = field.patchStrategy?.split(',') ?? [];
  return {
    schema: field,
    strategy: strategies.includes('merge') ? 'merge' : strategies.includes('replace') ? 'replace' : undefined,
    retainsKeys: strategies.includes('retainKeys'),
    mergeKey: field.patchMergeKey ?? '',
  };
}

function noSuchField(schema: Schema | undefined, name: string): string {
  if (schema?.properties === undefined && (schema === undefined || schema.additionalProperties !== undefined)) {
    return 'merging an object in json but data type is not struct, instead is: map';
  }
  const type = schema.goType ?? '';
  const struct = type.slice(type.lastIndexOf('.') + 1);
  return `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`;
}
