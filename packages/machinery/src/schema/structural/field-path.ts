import { getOwn, type JsonObject } from '../../json/index.ts';
import { objectAt } from './schema-json.ts';

/** The schema at the end of a path, or why the path leads to no field. */
export type FieldPathTarget =
  | { readonly schema: JsonObject; readonly steps: readonly string[] }
  | { readonly problem: string };

const END = 'unexpected end of JSON path';

/**
 * Follows a path such as `.spec.names['my-name']` through a schema, as rules and selectable fields have it. A map has
 * values under any name.
 */
export function followFieldPath(
  path: string,
  root: JsonObject,
  { allowsBrackets = true }: { readonly allowsBrackets?: boolean } = {},
): FieldPathTarget {
  const tokens = tokensOf(path);
  const steps: string[] = [];
  let schema = root;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token !== '.' && token !== '[') return { problem: `expected [ or . but got: ${token}` };
    if (token === '[' && !allowsBrackets) return { problem: 'array notation is not allowed' };
    const name = nameAfter(tokens, i);
    if ('problem' in name) return name;
    const next = fieldOf(schema, name.text);
    if (next === undefined) return { problem: 'does not refer to a valid field' };
    schema = next;
    steps.push(name.text);
    i = name.at;
  }
  return { schema, steps };
}

/** Splits a path into `.`, `[`, `]`, the text between them, and whole texts in single quotes. */
function tokensOf(path: string): string[] {
  return path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs) ?? [];
}

function nameAfter(
  tokens: readonly string[],
  index: number,
): { readonly text: string; readonly at: number } | { readonly problem: string } {
  const token = tokens[index + 1];
  if (token === undefined) return { problem: END };
  if (tokens[index] === '.') return { text: token, at: index + 1 };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { problem: `expected single quoted string but got ${token}` };
  }
  const closing = tokens[index + 2];
  if (closing === undefined) return { problem: END };
  if (closing !== ']') return { problem: `expected ] but got ${closing}` };
  return { text: token.slice(1, -1).replaceAll(/\\(.)/gs, '$1'), at: index + 2 };
}

function fieldOf(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = objectAt(schema, 'properties');
  if (properties !== undefined) return objectAt(properties, name);
  const values = getOwn(schema, 'additionalProperties');
  return values === true ? {} : objectAt(schema, 'additionalProperties');
}
