import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, setOwn } from '@pintle/machinery/json';
import type { United } from './unions.ts';

/** One object with the fields of several. What they check beside their fields is checked one by one. */
export function mergeObjects(members: readonly JSONSchemaProps[]): United {
  if (members.some((member) => Object.keys(member).length === 0)) return { schema: {} };
  if (members.some(({ type }) => type !== 'object')) return { problem: 'only objects can be intersected' };
  if (members.some((member) => member.additionalProperties !== undefined))
    return { problem: 'values by key cannot be intersected' };
  const properties: Record<string, JSONSchemaProps> = {};
  const required = new Set<string>();
  const checks: JSONSchemaProps[] = [];
  let words: JSONSchemaProps = {};
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
    words = joinWords(words, member);
  }
  return {
    schema: {
      ...words,
      type: 'object',
      properties,
      ...(required.size > 0 && { required: [...required] }),
      ...(checks.length === 1 ? checks[0] : checks.length > 0 && { allOf: checks }),
    },
  };
}

/** What is said of an object without being a check of it: descriptions, rules, defaults. */
function joinWords(words: JSONSchemaProps, member: JSONSchemaProps): JSONSchemaProps {
  const checked = new Set(['type', 'properties', 'required', ...Object.keys(checksOnly(member))]);
  const own = Object.fromEntries(Object.entries(member).filter(([word]) => !checked.has(word))) as JSONSchemaProps;
  const rules = [...(words['x-kubernetes-validations'] ?? []), ...(own['x-kubernetes-validations'] ?? [])];
  return { ...words, ...own, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
}

/** The keywords that only check a value, as they may stand inside `allOf`, `anyOf`, `oneOf`. */
export function checksOnly(schema: JSONSchemaProps): JSONSchemaProps {
  const { type: _type, title: _title, description: _description, default: _default, nullable: _null, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).filter(([word]) => !word.startsWith('x-')));
}
