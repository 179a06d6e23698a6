import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';

/** The keywords that only check a value, as they may stand inside `allOf`, `anyOf`, `oneOf`. */
export function checksOnly(schema: JSONSchemaProps): JSONSchemaProps {
  const { type: _type, title: _title, description: _description, default: _default, nullable: _null, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).filter(([word]) => !word.startsWith('x-')));
}
