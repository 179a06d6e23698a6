import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, setOwn } from '@pintle/machinery/json';
import type { United } from './unions.ts';

/** One object with the fields of several. */
export function mergeObjects(members: readonly JSONSchemaProps[]): United {
  if (members.some((member) => Object.keys(member).length === 0)) return { schema: {} };
  if (members.some(({ type }) => type !== 'object')) return { problem: 'only objects can be intersected' };
  if (members.some((member) => member.additionalProperties !== undefined || member.anyOf || member.oneOf))
    return { problem: 'unions and values by key cannot be intersected' };
  const merged: JSONSchemaProps = {};
  const properties: Record<string, JSONSchemaProps> = {};
  const required = new Set<string>();
  for (const member of members) {
    Object.assign(merged, member);
    for (const name of member.required ?? []) required.add(name);
    for (const [name, property] of Object.entries(member.properties ?? {})) {
      const known = getOwn(properties, name);
      if (known !== undefined && !deepEqual(known, property))
        return { problem: 'the parts of the intersection disagree about it', at: `.${name}` };
      setOwn(properties, name, property);
    }
  }
  merged.properties = properties;
  if (required.size > 0) merged.required = [...required];
  return { schema: merged };
}
