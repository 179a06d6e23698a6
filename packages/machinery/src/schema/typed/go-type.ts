import type { Schema } from '../schema.ts';

/** Returns the Go type of a value as reflection names it: `v1.Container`, `[]v1.Container`, `map[string]string`, `int32`. */
export function goTypeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'interface {}';
  if (schema.goType !== undefined) return schema.goType;
  if (schema.intOrString || schema.format === 'int-or-string') return 'intstr.IntOrString';
  switch (schema.type) {
    case 'string':
      return schema.format === 'byte' ? '[]uint8' : 'string';
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${goTypeOf(schema.items)}`;
    case 'object':
      return `map[string]${goTypeOf(valuesOf(schema))}`;
    default:
      return 'interface {}';
  }
}

/** Returns a type without its package: `Container` for `v1.Container`. Lists and maps have no such name. */
export function bareGoType(schema: Schema): string {
  const type = schema.goType ?? '';
  if (type.startsWith('[') || type.startsWith('map[')) return '';
  return type.slice(type.lastIndexOf('.') + 1);
}

export function valuesOf(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
