import type { CustomResourceDefinition, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';

/** Returns an example object of a resource, with required fields only. */
export function exampleOf({ spec }: CustomResourceDefinition, version: string): JsonObject {
  const { group, names, versions, scope } = spec;
  const schema = versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  const content = schema?.properties?.spec;
  return {
    apiVersion: `${group}/${version}`,
    kind: names.kind,
    metadata: { name: `${names.kind.toLowerCase()}-sample`, ...(scope === 'Namespaced' && { namespace: 'default' }) },
    ...(content !== undefined && { spec: leastValue(content, 0) }),
  };
}

const MAX_DEPTH = 20;

function leastValue(schema: JSONSchemaProps, depth: number): JsonValue {
  const { default: given, enum: allowed, type, example } = schema;
  if (given !== undefined) return given as JsonValue;
  if (example !== undefined) return example as JsonValue;
  if (allowed !== undefined && allowed.length > 0) return allowed[0] as JsonValue;
  if (depth > MAX_DEPTH) return {};
  switch (type) {
    case 'integer':
    case 'number':
      return leastNumber(schema);
    case 'boolean':
      return false;
    case 'array':
      return leastArray(schema, depth);
    case 'string':
      return leastText(schema);
    default:
      return type === undefined && schema['x-kubernetes-int-or-string'] ? 0 : leastObject(schema, depth);
  }
}

function leastObject({ properties = {}, required = [] }: JSONSchemaProps, depth: number): JsonObject {
  const needed = [...required].sort().flatMap((name) => {
    const inner = properties[name];
    return inner === undefined ? [] : [[name, leastValue(inner, depth + 1)] as const];
  });
  return Object.fromEntries(needed);
}

function leastArray({ minItems = 0, items }: JSONSchemaProps, depth: number): JsonValue[] {
  const inner = Array.isArray(items) ? items[0] : items;
  return inner === undefined ? [] : Array.from({ length: Math.min(minItems, 10) }, () => leastValue(inner, depth + 1));
}

function leastNumber({ minimum, exclusiveMinimum, maximum, multipleOf = 1 }: JSONSchemaProps): number {
  if (minimum !== undefined)
    return exclusiveMinimum ? minimum + multipleOf : Math.ceil(minimum / multipleOf) * multipleOf;
  return maximum !== undefined && maximum < 0 ? maximum : 0;
}

const BY_FORMAT: Readonly<Record<string, string>> = table({
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '1h',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  byte: '',
});

function leastText({ format = '', minLength = 0, maxLength }: JSONSchemaProps): string {
  const text = BY_FORMAT[format] ?? 'example'.slice(0, maxLength);
  return text.padEnd(Math.min(minLength, 1000), 'x');
}
