import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { DefinitionProblem } from './errors.ts';

const MAX_PROBLEMS = 10;

/**
 * Returns the paths where a value lacks a required field or has another type, at most ten. Leaves other checks of values to
 * the server.
 */
export function shapeProblems(schema: JSONSchemaProps, value: unknown): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  note(schema, value, '', problems);
  return problems;
}

function note(schema: JSONSchemaProps, value: unknown, path: string, problems: DefinitionProblem[]): void {
  if (problems.length >= MAX_PROBLEMS) return;
  if (!hasType(schema, value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    problems.push({ path, message: `must be of type ${schema.type ?? 'integer or string'}, not ${found}` });
  } else if (Array.isArray(value)) {
    const items = [schema.items ?? {}].flat();
    for (const [index, item] of value.entries())
      for (const each of items) note(each, item, `${path}[${index}]`, problems);
  } else if (typeof value === 'object' && value !== null) {
    noteFields(schema, value as Record<string, unknown>, path, problems);
  }
}

function noteFields(
  { required = [], properties = {} }: JSONSchemaProps,
  value: Record<string, unknown>,
  path: string,
  problems: DefinitionProblem[],
): void {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const name of required)
    if (!Object.hasOwn(value, name) && problems.length < MAX_PROBLEMS)
      problems.push({ path: at(name), message: 'Required value' });
  for (const [name, each] of Object.entries(properties))
    if (Object.hasOwn(value, name)) note(each, value[name], at(name), problems);
}

function hasType(schema: JSONSchemaProps, value: unknown): boolean {
  if (value === null) return schema.nullable === true;
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || typeof value === 'number';
  const { type } = schema;
  if (type === undefined) return true;
  if (Array.isArray(value)) return type === 'array';
  return typeof value === 'number' ? type === 'number' || type === 'integer' : type === typeof value;
}
