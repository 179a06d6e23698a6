import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, setOwn } from '@pintle/machinery/json';
import type { United } from './unions.ts';

/** Merges the fields of several objects into one. Their other checks go into `allOf`. */
export function mergeObjects(members: readonly JSONSchemaProps[]): United {
  if (members.some((member) => Object.keys(member).length === 0)) return { schema: {} };
  if (members.some(({ type }) => type !== 'object')) return { problem: 'only objects can be intersected' };
  if (members.some((member) => member.additionalProperties !== undefined))
    return { problem: 'values by key cannot be intersected' };
  const properties: Record<string, JSONSchemaProps> = {};
  const required = new Set<string>();
  const checks: JSONSchemaProps[] = [];
  let annotations: JSONSchemaProps = {};
  for (const member of members) {
    for (const name of member.required ?? []) required.add(name);
    for (const [name, property] of Object.entries(member.properties ?? {})) {
      const known = getOwn(properties, name);
      if (known !== undefined && !deepEqual(known, property))
        return { problem: 'the parts of the intersection disagree about it', at: `.${name}` };
      setOwn(properties, name, property);
    }
    const { properties: _properties, required: _required, ...more } = checksOnly(member);
    if (Object.keys(more).length > 0) checks.push(more);
    annotations = mergeAnnotations(annotations, member);
  }
  return {
    schema: {
      ...annotations,
      type: 'object',
      properties,
      ...(required.size > 0 && { required: [...required] }),
      ...(checks.length === 1 ? checks[0] : checks.length > 0 && { allOf: checks }),
    },
  };
}

/** Merges keywords that are not checks: descriptions, rules, defaults. */
function mergeAnnotations(annotations: JSONSchemaProps, member: JSONSchemaProps): JSONSchemaProps {
  const checked = new Set(['type', 'properties', 'required', ...Object.keys(checksOnly(member))]);
  const own = Object.fromEntries(
    Object.entries(member).filter(([keyword]) => !checked.has(keyword)),
  ) as JSONSchemaProps;
  const rules = [...(annotations['x-kubernetes-validations'] ?? []), ...(own['x-kubernetes-validations'] ?? [])];
  return { ...annotations, ...own, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
}

/** Returns the keywords that only check a value, which are allowed inside `allOf`, `anyOf`, `oneOf`. */
export function checksOnly(schema: JSONSchemaProps): JSONSchemaProps {
  const { type: _type, title: _title, description: _description, default: _default, nullable: _null, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).filter(([keyword]) => !keyword.startsWith('x-')));
}
