import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, isJsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { block, literal, patternLiteral, propertyKey, quoted } from './literal.ts';

/**
 * Writes Zod schemas whose definition is the given one. What Zod has a word for is said so; where a place says more, its
 * words are given as they are with `exactly()` and Zod tells the type only.
 */
export class ZodWriter {
  /** Names of `@pintle/operator` that were used. */
  readonly helpers = new Set<string>();

  /** `depth`: how deep the line is indented on which the expression begins. */
  write(schema: JSONSchemaProps, depth: number): string {
    const shape = this.#shape(schema, depth);
    const type = schema.nullable ? `${shape.text}.nullable()` : shape.text;
    const isExact = !isAllSaid(schema, shape.said);
    const described = isExact
      ? this.#exactly(type, wordsOf(schema, shape), depth)
      : this.#annotated(type, schema, depth);
    return described + defaultOf(schema, depth);
  }

  #exactly(type: string, words: JSONSchemaProps, depth: number): string {
    this.helpers.add('exactly');
    return `exactly(${type}, ${literal(words, depth)})`;
  }

  #annotated(type: string, schema: JSONSchemaProps, depth: number): string {
    const listed = this.#listed(type, schema);
    const words = isMetaFormat(schema) ? (['format', ...META] as const) : META;
    const meta = Object.fromEntries(
      words.flatMap((word) => (schema[word] === undefined ? [] : [[word, schema[word]]])),
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
        return { text: 'z.boolean()', said: ['type'] };
      case 'array':
        return this.#arrayShape(schema, depth);
      case 'object':
        return this.#objectShape(schema, depth);
      default:
        return { text: 'z.unknown()', said: isAnything(schema) ? ['x-kubernetes-preserve-unknown-fields'] : [] };
    }
  }

  #intOrString(schema: JSONSchemaProps): Shape {
    this.helpers.add('intOrString');
    const isUsual = deepEqual(schema.anyOf, [{ type: 'integer' }, { type: 'string' }]);
    return { text: 'intOrString()', said: isUsual ? ['anyOf', 'x-kubernetes-int-or-string'] : [] };
  }

  #arrayShape(schema: JSONSchemaProps, depth: number): Shape {
    const { items } = schema;
    if (!isJsonObject(items)) return { text: 'z.array(z.unknown())', said: [] };
    const checks = calls(schema, { minItems: 'min', maxItems: 'max' });
    const said = ['type', 'items', 'minItems', 'maxItems', 'x-kubernetes-list-type', 'x-kubernetes-list-map-keys'];
    return { text: `z.array(${this.write(items as JSONSchemaProps, depth)})${checks}`, said, parts: ['items'] };
  }

  #objectShape(schema: JSONSchemaProps, depth: number): Shape {
    const { properties = {}, additionalProperties: values } = schema;
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (Object.keys(properties).length > 0) return this.#fieldsShape(schema, depth);
    if (values !== undefined && isJsonObject(values) && !isOpen && Object.keys(values).length > 0) {
      const said = ['type', 'additionalProperties', 'x-kubernetes-map-type'];
      const text = `z.record(z.string(), ${this.write(values as JSONSchemaProps, depth)})`;
      return { text, said, parts: ['additionalProperties'] };
    }
    const isBare = schema.properties === undefined && values === undefined && schema.required === undefined;
    const said = ['type', 'x-kubernetes-map-type', ...(isOpen ? ['x-kubernetes-preserve-unknown-fields'] : [])];
    const text = isOpen || values !== undefined ? 'z.looseObject({})' : 'z.object({})';
    return { text, said: isBare ? said : [] };
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
    const isRequiredSaid = deepEqual(found, [...required]);
    const said = ['type', 'properties', 'x-kubernetes-map-type', ...(isRequiredSaid ? ['required'] : [])];
    if (isOpen) said.push('x-kubernetes-preserve-unknown-fields');
    return {
      text: `z.${isOpen ? 'looseObject' : 'object'}(${block('{', fields, '}', depth)})`,
      said: schema.required?.length === 0 ? said.filter((word) => word !== 'required') : said,
      parts: isRequiredSaid ? ['properties', 'required'] : ['properties'],
    };
  }
}

interface Shape {
  readonly text: string;
  /** Words that the definition will have because of the text. */
  readonly said: readonly string[];
  /** Of these, what is below, which is said by the text even where the words are given as they are. */
  readonly parts?: readonly string[];
}

/** Words that Zod hands through. */
const META = ['title', 'x-kubernetes-embedded-resource', 'x-kubernetes-validations'] as const;
const ALWAYS_SAID: ReadonlySet<string> = new Set<string>([...META, 'description', 'default', 'nullable']);

function isAllSaid(schema: JSONSchemaProps, said: readonly string[]): boolean {
  const isUnusual =
    (schema.nullable !== undefined && (!schema.nullable || schema.enum !== undefined)) ||
    schema.default === null ||
    schema.title === '' ||
    schema['x-kubernetes-embedded-resource'] === false ||
    (schema['x-kubernetes-list-map-keys'] !== undefined && schema['x-kubernetes-list-type'] !== 'map') ||
    !isAtomicKnown(schema);
  return !isUnusual && wordsIn(schema).every((word) => said.includes(word) || ALWAYS_SAID.has(word));
}

function isAtomicKnown(schema: JSONSchemaProps): boolean {
  const mapType = schema['x-kubernetes-map-type'];
  return mapType === undefined || mapType === 'atomic';
}

function isAnything(schema: JSONSchemaProps): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function wordsIn(schema: JSONSchemaProps): string[] {
  return Object.entries(schema).flatMap(([word, value]) => (value === undefined ? [] : [word]));
}

/** All of them but what is below. */
function wordsOf(schema: JSONSchemaProps, { parts = [] }: Shape): JSONSchemaProps {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !parts.includes(word)));
}

/** As given, unless what is required comes in another order: then that first. */
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

/** A default that is an object may leave out what has a default itself. */
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
  const said = ['type', 'minLength', 'maxLength'];
  if (base !== undefined) said.push('format');
  if (regex !== undefined) said.push('pattern');
  return { text, said };
}

function choiceShape(values: readonly unknown[]): Shape {
  const isChoice = values.length > 0 && values.every((value) => typeof value === 'string');
  if (!isChoice) return { text: 'z.string()', said: [] };
  const unique = [...new Set(values)];
  // A value that looks like an index would be moved to the front.
  const isPlain =
    unique.length === values.length && !unique.some((value) => /^\d+$/.test(value) || value === '__proto__');
  return { text: `z.enum(${literal(unique)})`, said: isPlain ? ['type', 'enum'] : [] };
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
    return { text: `z.literal(${literal([...new Set(values)])})`, said: [] };
  const isInt32 = type === 'integer' && format === 'int32';
  const base = type === 'number' ? 'z.number()' : isInt32 ? 'z.int32()' : 'z.int()';
  const said = ['type'];
  if (isInt32 || isMetaFormat(schema)) said.push('format');
  let text = base;
  for (const side of ['Minimum', 'Maximum'] as const) {
    const [word, exclusive] = [side.toLowerCase() as 'minimum' | 'maximum', `exclusive${side}` as const];
    const value = schema[word];
    if (value === undefined || schema[exclusive] === false || !isWorthSaying(value, type, isInt32)) continue;
    said.push(word, exclusive);
    const method = side === 'Minimum' ? (schema[exclusive] ? 'gt' : 'min') : schema[exclusive] ? 'lt' : 'max';
    text += `.${method}(${literal(value)})`;
  }
  if (schema.multipleOf !== undefined && schema.multipleOf > 0) {
    said.push('multipleOf');
    text += `.multipleOf(${literal(schema.multipleOf)})`;
  }
  return { text, said };
}

/** Bounds that every number of the type keeps are left out of definitions. */
function isWorthSaying(value: number, type: string, isInt32: boolean): boolean {
  const edge = isInt32 ? 2 ** 31 : 2 ** 53;
  return type === 'number' || (value > -edge + 1 && value < edge - 1);
}
