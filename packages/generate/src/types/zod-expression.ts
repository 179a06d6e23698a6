import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, isJsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { block, literal, patternLiteral, propertyKey, quoted } from './literal.ts';

/**
 * Writes Zod schemas that give the same CRD. Uses methods of Zod where they exist; for other keywords, `exactly()` has all
 * keywords of the schema and Zod only the type.
 */
export class ZodWriter {
  /** Used exports of `@pintle/operator`. */
  readonly helpers = new Set<string>();

  /** `depth`: indentation of the line on which the expression begins. */
  write(schema: JSONSchemaProps, depth: number): string {
    const shape = this.#shape(schema, depth);
    const type = schema.nullable ? `${shape.text}.nullable()` : shape.text;
    const isExact = !isAllCovered(schema, shape.covered);
    const described = isExact
      ? this.#exactly(type, keywordsOf(schema, shape), depth)
      : this.#annotated(type, schema, depth);
    return described + defaultOf(schema, depth);
  }

  #exactly(type: string, keywords: JSONSchemaProps, depth: number): string {
    this.helpers.add('exactly');
    return `exactly(${type}, ${literal(keywords, depth)})`;
  }

  #annotated(type: string, schema: JSONSchemaProps, depth: number): string {
    const listed = this.#listed(type, schema);
    const keywords = isMetaFormat(schema) ? (['format', ...META] as const) : META;
    const meta = Object.fromEntries(
      keywords.flatMap((word) => (schema[word] === undefined ? [] : [[word, schema[word]]])),
    );
    const described = Object.keys(meta).length > 0 ? `${listed}.meta(${literal(meta, depth)})` : listed;
    return schema.description === undefined ? described : `${described}.describe(${quoted(schema.description)})`;
  }

  #listed(type: string, schema: JSONSchemaProps): string {
    const listType = schema['x-kubernetes-list-type'];
    if (listType === 'map') {
      this.helpers.add('listMap');
      return `listMap(${type}, ${literal(schema['x-kubernetes-list-map-keys'] ?? [])})`;
    }
    if (listType === 'set') return this.#call('listSet', type);
    return listType === 'atomic' || schema['x-kubernetes-map-type'] === 'atomic' ? this.#call('atomic', type) : type;
  }

  #call(helper: string, type: string): string {
    this.helpers.add(helper);
    return `${helper}(${type})`;
  }

  #shape(schema: JSONSchemaProps, depth: number): Shape {
    if (schema['x-kubernetes-int-or-string']) return this.#intOrString(schema);
    switch (schema.type) {
      case 'string':
        return stringShape(schema);
      case 'integer':
      case 'number':
        return numberShape(schema, schema.type);
      case 'boolean':
        return { text: 'z.boolean()', covered: ['type'] };
      case 'array':
        return this.#arrayShape(schema, depth);
      case 'object':
        return this.#objectShape(schema, depth);
      default:
        return { text: 'z.unknown()', covered: isAnything(schema) ? ['x-kubernetes-preserve-unknown-fields'] : [] };
    }
  }

  #intOrString(schema: JSONSchemaProps): Shape {
    this.helpers.add('intOrString');
    const isUsual = deepEqual(schema.anyOf, [{ type: 'integer' }, { type: 'string' }]);
    return { text: 'intOrString()', covered: isUsual ? ['anyOf', 'x-kubernetes-int-or-string'] : [] };
  }

  #arrayShape(schema: JSONSchemaProps, depth: number): Shape {
    const { items } = schema;
    if (!isJsonObject(items)) return { text: 'z.array(z.unknown())', covered: [] };
    const checks = calls(schema, { minItems: 'min', maxItems: 'max' });
    const covered = ['type', 'items', 'minItems', 'maxItems', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'];
    return { text: `z.array(${this.write(items as JSONSchemaProps, depth)})${checks}`, covered, parts: ['items'] };
  }

  #objectShape(schema: JSONSchemaProps, depth: number): Shape {
    const { properties = {}, additionalProperties: values } = schema;
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (Object.keys(properties).length > 0) return this.#fieldsShape(schema, depth);
    if (values !== undefined && isJsonObject(values) && !isOpen && Object.keys(values).length > 0) {
      const covered = ['type', 'additionalProperties', 'x-kubernetes-map-type'];
      const text = `z.record(z.string(), ${this.write(values as JSONSchemaProps, depth)})`;
      return { text, covered, parts: ['additionalProperties'] };
    }
    const isBare = schema.properties === undefined && values === undefined && schema.required === undefined;
    const covered = ['type', 'x-kubernetes-map-type', ...(isOpen ? ['x-kubernetes-preserve-unknown-fields'] : [])];
    const text = isOpen || values !== undefined ? 'z.looseObject({})' : 'z.object({})';
    return { text, covered: isBare ? covered : [] };
  }

  #fieldsShape(schema: JSONSchemaProps, depth: number): Shape {
    const { required = [] } = schema;
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
    const names = orderedNames(schema);
    const fields = names.map((name) => {
      const field = this.write(getOwn(schema.properties!, name)!, depth + 1);
      const isOptional = !required.includes(name) && getOwn(schema.properties!, name)!.default === undefined;
      return `${propertyKey(name)}: ${field}${isOptional ? '.optional()' : ''}`;
    });
    const found = names.filter((name) => required.includes(name) && !hasDefault(getOwn(schema.properties!, name)!));
    const isRequiredCovered = deepEqual(found, [...required]);
    const covered = ['type', 'properties', 'x-kubernetes-map-type', ...(isRequiredCovered ? ['required'] : [])];
    if (isOpen) covered.push('x-kubernetes-preserve-unknown-fields');
    return {
      text: `z.${isOpen ? 'looseObject' : 'object'}(${block('{', fields, '}', depth)})`,
      covered: schema.required?.length === 0 ? covered.filter((word) => word !== 'required') : covered,
      parts: isRequiredCovered ? ['properties', 'required'] : ['properties'],
    };
  }
}

interface Shape {
  readonly text: string;
  /** Keywords that the text gives the CRD. */
  readonly covered: readonly string[];
  /** Covered keywords of nested schemas, which the text has even with `exactly()`. */
  readonly parts?: readonly string[];
}

/** Keywords that Zod passes through. */
const META = ['title', 'x-kubernetes-embedded-resource', 'x-kubernetes-validations'] as const;
const ALWAYS_COVERED: ReadonlySet<string> = new Set<string>([...META, 'description', 'default', 'nullable']);

function isAllCovered(schema: JSONSchemaProps, covered: readonly string[]): boolean {
  const isUnusual =
    (schema.nullable !== undefined && (!schema.nullable || schema.enum !== undefined)) ||
    schema.default === null ||
    schema.title === '' ||
    schema['x-kubernetes-embedded-resource'] === false ||
    (schema['x-kubernetes-list-map-keys'] !== undefined && schema['x-kubernetes-list-type'] !== 'map') ||
    !isAtomicKnown(schema);
  return !isUnusual && keywordsIn(schema).every((word) => covered.includes(word) || ALWAYS_COVERED.has(word));
}

function isAtomicKnown(schema: JSONSchemaProps): boolean {
  const mapType = schema['x-kubernetes-map-type'];
  return mapType === undefined || mapType === 'atomic';
}

function isAnything(schema: JSONSchemaProps): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function keywordsIn(schema: JSONSchemaProps): string[] {
  return Object.entries(schema).flatMap(([word, value]) => (value === undefined ? [] : [word]));
}

/** Returns the keywords without those of nested schemas. */
function keywordsOf(schema: JSONSchemaProps, { parts = [] }: Shape): JSONSchemaProps {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !parts.includes(word)));
}

/** Returns the names in order; when the required ones have another order, these come first. */
export function orderedNames({ properties = {}, required = [] }: JSONSchemaProps): string[] {
  const names = Object.keys(properties);
  const first = required.filter((name) => names.includes(name));
  if (
    deepEqual(
      names.filter((name) => first.includes(name)),
      [...first],
    )
  )
    return names;
  return [...new Set([...first, ...names])];
}

function hasDefault({ default: value }: JSONSchemaProps): boolean {
  return value !== undefined && value !== null;
}

/** Returns the default. An object may omit fields that have defaults themselves. */
function defaultOf(schema: JSONSchemaProps, depth: number): string {
  const { default: value } = schema;
  if (value === undefined || value === null) return value === null ? '.optional()' : '';
  return `.${typeof value === 'object' ? 'prefault' : 'default'}(${literal(value, depth)})`;
}

function calls(schema: JSONSchemaProps, methods: Partial<Record<keyof JSONSchemaProps, string>>): string {
  return Object.entries(methods)
    .filter(([word]) => schema[word as keyof JSONSchemaProps] !== undefined)
    .map(([word, method]) => `.${method}(${literal(schema[word as keyof JSONSchemaProps])})`)
    .join('');
}

const FORMATS: Readonly<Record<string, string>> = table({
  'date-time': 'z.iso.datetime({ offset: true })',
  byte: 'z.base64()',
  date: 'z.iso.date()',
  email: 'z.email()',
  ipv4: 'z.ipv4()',
  ipv6: 'z.ipv6()',
  uri: 'z.url()',
  uuid: 'z.uuid()',
});

function stringShape(schema: JSONSchemaProps): Shape {
  const { enum: values, format, pattern } = schema;
  if (values !== undefined) return choiceShape(values);
  const base = format === undefined || pattern !== undefined ? undefined : getOwn(FORMATS, format);
  const regex = pattern === undefined ? undefined : patternLiteral(pattern);
  const checks = calls(schema, { minLength: 'min', maxLength: 'max' });
  const text = `${base ?? 'z.string()'}${checks}${regex === undefined ? '' : `.regex(${regex})`}`;
  const covered = ['type', 'minLength', 'maxLength'];
  if (base !== undefined) covered.push('format');
  if (regex !== undefined) covered.push('pattern');
  return { text, covered };
}

function choiceShape(values: readonly unknown[]): Shape {
  const isChoice = values.length > 0 && values.every((value) => typeof value === 'string');
  if (!isChoice) return { text: 'z.string()', covered: [] };
  const unique = [...new Set(values)];
  // A value that looks like an index would be moved to the front.
  const isPlain =
    unique.length === values.length && !unique.some((value) => /^\d+$/.test(value) || value === '__proto__');
  return { text: `z.enum(${literal(unique)})`, covered: isPlain ? ['type', 'enum'] : [] };
}

const META_FORMATS: Readonly<Record<string, readonly string[]>> = table({
  integer: ['int64'],
  number: ['float', 'double'],
});

function isMetaFormat({ type, format }: JSONSchemaProps): boolean {
  return format !== undefined && (META_FORMATS[type ?? '']?.includes(format) ?? false);
}

function numberShape(schema: JSONSchemaProps, type: 'integer' | 'number'): Shape {
  const { enum: values, format } = schema;
  if (values?.length && values.every((value) => typeof value === 'number'))
    return { text: `z.literal(${literal([...new Set(values)])})`, covered: [] };
  const isInt32 = type === 'integer' && format === 'int32';
  const base = type === 'number' ? 'z.number()' : isInt32 ? 'z.int32()' : 'z.int()';
  const covered = ['type'];
  if (isInt32 || isMetaFormat(schema)) covered.push('format');
  let text = base;
  for (const side of ['Minimum', 'Maximum'] as const) {
    const [word, exclusive] = [side.toLowerCase() as 'minimum' | 'maximum', `exclusive${side}` as const];
    const value = schema[word];
    if (value === undefined || schema[exclusive] === false || !isWorthSaying(value, type, isInt32)) continue;
    covered.push(word, exclusive);
    const method = side === 'Minimum' ? (schema[exclusive] ? 'gt' : 'min') : schema[exclusive] ? 'lt' : 'max';
    text += `.${method}(${literal(value)})`;
  }
  if (schema.multipleOf !== undefined && schema.multipleOf > 0) {
    covered.push('multipleOf');
    text += `.multipleOf(${literal(schema.multipleOf)})`;
  }
  return { text, covered };
}

/** False for bounds that every number of the type satisfies, which CRDs omit. */
function isWorthSaying(value: number, type: string, isInt32: boolean): boolean {
  const edge = isInt32 ? 2 ** 31 : 2 ** 53;
  return type === 'number' || (value > -edge + 1 && value < edge - 1);
}
