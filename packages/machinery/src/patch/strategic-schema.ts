import { fieldSchema, type Schema } from '../schema/index.ts';
import { PatchError } from './patch-error.ts';

/** How a field of a built-in kind is patched. */
export interface PatchField {
  readonly schema: Schema;
  /** Take the patch's value instead of merging. The default for lists. */
  readonly strategy: 'merge' | 'replace' | undefined;
  readonly retainsKeys: boolean;
  /** The field that identifies the items of a list; empty for lists of scalars. */
  readonly mergeKey: string;
}

/** What the schema says about a field that patch and document have in common. Throws `PatchError` if it knows none. */
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
