import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { getOwn } from '@pintle/machinery/json';
import type { DefinitionProblem } from './errors.ts';

interface Versions {
  readonly storage: string;
  readonly names: readonly string[];
  readonly conversions?: object | undefined;
}

/** Returns problems of the names of versions, which the compiler finds in TypeScript. */
export function nameProblems({ storage, names, conversions = {} }: Versions): DefinitionProblem[] {
  const all = names.join(', ');
  if (!names.includes(storage)) return [{ path: '', message: `storage ${storage} is not one of ${all}` }];
  return Object.keys(conversions).flatMap((name) => {
    if (!names.includes(name)) return [{ path: '', message: `conversions of ${name}: it is not one of ${all}` }];
    if (name !== storage) return [];
    const message = `conversions of ${name}: it is the stored version, which the others are converted to and from`;
    return [{ path: '', message }];
  });
}

/** Returns versions without conversions whose objects cannot be those of the stored version. */
export function unconverted(
  versions: readonly CustomResourceDefinitionVersion[],
  { storage, conversions }: Pick<Versions, 'storage' | 'conversions'>,
): DefinitionProblem[] {
  if (conversions === undefined) return [];
  const hub = versions.find(({ name }) => name === storage)?.schema?.openAPIV3Schema;
  return versions
    .filter(({ name, schema }) => {
      const own = schema?.openAPIV3Schema;
      if (name === storage || Object.hasOwn(conversions, name) || own === undefined || hub === undefined) return false;
      return !hasFieldsOf(own, hub) || !hasFieldsOf(hub, own);
    })
    .map(({ name }) => ({ path: '', message: `${name} has other fields than ${storage}, and no conversions` }));
}

/** True when each field that `wanted` requires is there, and fields of the same name have the same type. */
function hasFieldsOf(schema: JSONSchemaProps, wanted: JSONSchemaProps): boolean {
  const { properties = {} } = schema;
  const { properties: others = {}, required = [] } = wanted;
  if (required.some((name) => !Object.hasOwn(properties, name))) return false;
  return Object.entries(others).every(([name, other]) => {
    const own = getOwn(properties, name);
    if (own === undefined) return true;
    return own.type === other.type && hasFieldsOf(own, other);
  });
}
