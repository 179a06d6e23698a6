import { isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';

/** Schema of a CustomResourceDefinition. */
export type Schema = JsonObject;

/** Candidates for patterns and formats, in this order. */
const TEXTS = [
  'a',
  'abc',
  'a-b',
  'A',
  '1',
  '10',
  '1Gi',
  '500m',
  '1h',
  '10s',
  '1.2.3',
  'v1',
  'a.example.com',
  'https://a.example.com',
  'a@example.com',
  '10.0.0.1',
  '10.0.0.0/24',
  '2026-01-01T00:00:00Z',
  '2026-01-01',
  '*/5 * * * *',
  '11111111-1111-4111-8111-111111111111',
];
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['duration', '1h'],
  ['email', 'a@example.com'],
  ['hostname', 'a.example.com'],
  ['ipv4', '10.0.0.1'],
  ['ipv6', '2001:db8::1'],
  ['cidr', '10.0.0.0/24'],
  ['uri', 'https://a.example.com'],
  ['uuid', '11111111-1111-4111-8111-111111111111'],
  ['byte', 'YQ=='],
]);
/** Depth below which fields are not changed. */
const MAX_DEPTH = 4;

/** Returns a value with the required fields alone. */
export function smallestOf(schema: Schema): JsonValue {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]!;
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  switch (schema.type) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return boundsOf(schema).find((value) => value >= 1) ?? boundsOf(schema)[0] ?? 1;
    case 'string':
      return textsOf(schema)[0] ?? 'a';
    case 'array':
      return Array.from({ length: Number(schema.minItems ?? 0) }, (_, index) => nthItem(schema, index));
    default:
      return smallestObject(schema);
  }
}

function smallestObject(schema: Schema): JsonObject {
  const properties = propertiesOf(schema);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return Object.fromEntries(
    required.flatMap((name) => {
      const field = properties.get(name);
      // The server sets the default.
      return field === undefined || field.default !== undefined ? [] : [[name, smallestOf(field)]];
    }),
  );
}

/** A change of one field, and the resulting value. */
export interface Variation {
  /** Field and new value: `size: 3`. */
  readonly name: string;
  readonly value: JsonValue;
}

/** Returns values that differ from `current` in one field each: other values, bounds, fields that come and go, lists that grow and shrink. */
export function variationsOf(schema: Schema, current: JsonValue | undefined, path = '', depth = 0): Variation[] {
  const to = (value: JsonValue): Variation => ({ name: `${path}: ${JSON.stringify(value)}`, value });
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(schema.enum)) return schema.enum.filter((value) => value !== current).map(to);
  if (schema['x-kubernetes-int-or-string'] === true) return [2, '50%'].filter((value) => value !== current).map(to);
  switch (schema.type) {
    case 'boolean':
      return [to(current !== true)];
    case 'integer':
    case 'number':
      return boundsOf(schema)
        .filter((value) => value !== current)
        .map(to);
    case 'string':
      return textsOf(schema)
        .filter((value) => value !== current)
        .slice(0, 2)
        .map(to);
    case 'array':
      return listVariations(schema, Array.isArray(current) ? current : [], path);
    default:
      return objectVariations(schema, isJsonObject(current) ? current : {}, path, depth);
  }
}

function listVariations(schema: Schema, current: readonly JsonValue[], path: string): Variation[] {
  const { minItems = 0, maxItems = 3 } = schema;
  const lengths = [current.length + 1, current.length + 2, current.length - 1];
  return [...new Set(lengths)]
    .filter((length) => length >= Number(minItems) && length <= Math.max(Number(maxItems), 1))
    .map((length) => ({
      name: `${path}: ${length} items`,
      value: Array.from({ length }, (_, index) => current[index] ?? nthItem(schema, index)),
    }));
}

function objectVariations(schema: Schema, current: JsonObject, path: string, depth: number): Variation[] {
  const inner = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const found: Variation[] = [];
  for (const [name, field] of propertiesOf(schema)) {
    const value = current[name];
    if (value === undefined) {
      // A feature is off when its field is missing.
      const added = field.default !== undefined ? undefined : field.type === 'boolean' ? true : smallestOf(field);
      const values = added === undefined ? [] : [{ name: `${inner(name)}: ${JSON.stringify(added)}`, value: added }];
      for (const each of [...values, ...variationsOf(field, added ?? field.default, inner(name), depth + 1)])
        found.push({ name: each.name, value: { ...current, [name]: each.value } });
    } else {
      for (const each of variationsOf(field, value, inner(name), depth + 1))
        found.push({ name: each.name, value: { ...current, [name]: each.value } });
      if (!required.has(name)) {
        const { [name]: _removed, ...rest } = current;
        found.push({ name: `${inner(name)}: removed`, value: rest });
      }
    }
  }
  const keys = isJsonObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
  if (keys !== undefined)
    for (const count of [1, 2]) {
      const value = Object.fromEntries(['a', 'b'].slice(0, count).map((key) => [key, smallestOf(keys)]));
      found.push({ name: `${path}: ${count} keys`, value: { ...current, ...value } });
    }
  return found;
}

/** Returns the bounds of a number and their neighbours, sorted. */
function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): number[] {
  const step = typeof multipleOf === 'number' ? multipleOf : 1;
  const low = typeof minimum === 'number' ? minimum + (exclusiveMinimum === true ? step : 0) : undefined;
  const high = typeof maximum === 'number' ? maximum - (exclusiveMaximum === true ? step : 0) : undefined;
  const values = [low ?? 0, (low ?? 0) + step, (low ?? 0) + 2 * step, ...(high === undefined ? [] : [high])];
  return [...new Set(values)].filter((value) => value <= (high ?? Number.POSITIVE_INFINITY)).sort((a, b) => a - b);
}

function textsOf({ pattern, format, minLength = 0, maxLength }: Schema): string[] {
  const least = Number(minLength);
  const most = Number(maxLength ?? Number.POSITIVE_INFINITY);
  const form = typeof pattern === 'string' ? patternOf(pattern) : undefined;
  const special = FORMATS.get(String(format ?? ''));
  const texts = special === undefined ? [...TEXTS, 'a'.repeat(least), 'b'.repeat(least)] : [special];
  const allowed = texts.filter(
    (text) => text.length >= least && text.length <= most && (form === undefined || form.test(text)),
  );
  return [...new Set(allowed)];
}

function patternOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

/** Makes items of a list differ, as sets and maps require. */
function nthItem({ items }: Schema, index: number): JsonValue {
  const schema = isJsonObject(items) ? items : {};
  const item = smallestOf(schema);
  if (typeof item === 'number') return item + index;
  if (typeof item === 'string') return textsOf(schema)[index] ?? item;
  if (!isJsonObject(item)) return item;
  const named = [...propertiesOf(schema)].find(([name, field]) => name in item && field.type === 'string');
  if (named === undefined) return item;
  const [name, field] = named;
  return { ...item, [name]: textsOf(field)[index] ?? item[name]! };
}

function propertiesOf({ properties }: Schema): Map<string, Schema> {
  if (!isJsonObject(properties)) return new Map();
  return new Map(Object.entries(properties).flatMap(([name, field]) => (isJsonObject(field) ? [[name, field]] : [])));
}
