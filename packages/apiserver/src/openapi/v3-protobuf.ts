import { nextTurn } from '@pintle/async';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { stringifyYaml } from '@pintle/machinery/yaml';
import type { MessagesForm, ScalarForm } from './proto-parts.ts';
import { anyOf, asList, namedEntry } from './proto-parts.ts';
import { ProtoWriter } from './proto-writer.ts';

/** How a field of the JSON document stands in a message. */
type FieldForm =
  | ScalarForm
  | MessagesForm<MessageName>
  | 'default'
  /** A schema, several, or a boolean in place of one. */
  | 'schemaItem';

interface MessageForm {
  /** By the field's number, which is also the order on the wire. */
  readonly fields: readonly (readonly [number, string, FieldForm])[];
  /** Where `x-…` keys go. */
  readonly extensions?: number;
  /** Where keys go that are names: paths, status codes. */
  readonly entries?: readonly [number, MessageName];
}

/** Writes an OpenAPI 3 document as a message of `openapi.v3`. Large ones are written with turns for others in between. */
export async function encodeV3(document: JsonObject): Promise<Uint8Array> {
  const { paths = {}, components = {}, ...rest } = document as Record<string, JsonObject>;
  return new ProtoWriter()
    .append(encodeMessage('Document', rest))
    .bytes(4, await encodeEntries('PathItem', paths))
    .bytes(5, await encodeComponents(components as Record<string, JsonObject>))
    .finish();
}

async function encodeComponents({ schemas, ...others }: Record<string, JsonObject>): Promise<Uint8Array> {
  const writer = new ProtoWriter();
  if (schemas !== undefined) writer.bytes(1, await encodeEntries('SchemaOrReference', schemas));
  return writer.append(encodeMessage('Components', others)).finish();
}

/** So many entries are written before others get their turn. */
const ENTRIES_AT_ONCE = 50;

async function encodeEntries(name: MessageName, entries: JsonObject): Promise<Uint8Array> {
  const writer = new ProtoWriter();
  for (const [index, [key, item]] of Object.entries(entries).entries()) {
    if (index % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await nextTurn();
    writer.bytes(1, encodeNamed(name, key, item as JsonObject));
  }
  return writer.finish();
}

function encodeMessage(name: MessageName, value: JsonObject): Uint8Array {
  const writer = new ProtoWriter();
  if (isChoice(name)) {
    const [field, chosen] = '$ref' in value ? ([2, 'Reference'] as const) : ([1, CHOICES[name]] as const);
    return writer.bytes(field, encodeMessage(chosen, value)).finish();
  }
  const { fields, extensions, entries } = FORMS[name];
  for (const [number, key, form] of fields) {
    if (Object.hasOwn(value, key)) writeField(writer, number, form, value[key]!);
  }
  for (const [key, item] of Object.entries(value)) {
    if (key.startsWith('x-')) {
      if (extensions !== undefined) writer.bytes(extensions, namedEntry(key, any(item)));
    } else if (entries !== undefined) writer.bytes(entries[0], encodeNamed(entries[1], key, item as JsonObject));
  }
  return writer.finish();
}

function isChoice(name: MessageName): name is ChoiceName {
  return Object.hasOwn(CHOICES, name);
}

/** One entry of a map, as in `schemas` or `paths`. */
function encodeNamed(name: MessageName, key: string, value: JsonObject): Uint8Array {
  return namedEntry(key, encodeMessage(name, value));
}

/** What is empty, zero or false is left away, as everywhere in this version of protobuf. */
function writeField(writer: ProtoWriter, number: number, form: FieldForm, value: JsonValue): void {
  if (typeof form === 'object') writeMessages(writer, number, form, value);
  else if (form === 'default') writer.bytes(number, defaultType(value));
  else if (form === 'schemaItem') writer.bytes(number, schemaItem(value));
  else if (form === 'strings') for (const item of asList(value)) writer.string(number, String(item));
  else if (form === 'anys') for (const item of asList(value)) writer.bytes(number, any(item));
  else if (form === 'string' && value !== '') writer.string(number, String(value));
  else if (form === 'bool' && value === true) writer.integer(number, 1);
  else if (form === 'integer' && Number(value) > 0) writer.integer(number, Number(value));
  else if (form === 'double' && Number(value) !== 0) writer.double(number, Number(value));
}

function writeMessages(writer: ProtoWriter, number: number, form: Exclude<FieldForm, string>, value: JsonValue): void {
  if ('list' in form) {
    for (const item of asList(value)) writer.bytes(number, encodeMessage(form.list, item as JsonObject));
  } else if ('named' in form) {
    const entries = new ProtoWriter();
    for (const [key, item] of Object.entries(value as JsonObject)) {
      entries.bytes(1, encodeNamed(form.named, key, item as JsonObject));
    }
    writer.bytes(number, entries.finish());
  } else writer.bytes(number, encodeMessage(form.message, value as JsonObject));
}

function schemaItem(value: JsonValue): Uint8Array {
  const writer = new ProtoWriter();
  if (typeof value === 'boolean') return writer.integer(2, value ? 1 : 0).finish();
  for (const item of asList(value)) writer.bytes(1, encodeMessage('SchemaOrReference', item as JsonObject));
  return writer.finish();
}

/** A default can only be told when it is a scalar; of others stands that there is one. */
function defaultType(value: JsonValue): Uint8Array {
  const writer = new ProtoWriter();
  if (typeof value === 'boolean') writer.integer(2, value ? 1 : 0);
  else if (typeof value === 'string') writer.string(3, value);
  else if (typeof value === 'number' || typeof value === 'bigint') writer.double(1, Number(value));
  return writer.finish();
}

function any(value: JsonValue): Uint8Array {
  return anyOf(stringifyYaml(value));
}

const OPERATION = { message: 'Operation' } as const;
const SCHEMA = { message: 'SchemaOrReference' } as const;
const SCHEMAS = { list: 'SchemaOrReference' } as const;
const PARAMETERS = { list: 'ParameterOrReference' } as const;
const CONTENT = { named: 'MediaType' } as const;

const FORMS: Readonly<Record<Exclude<MessageName, ChoiceName>, MessageForm>> = {
  Document: {
    fields: [
      [1, 'openapi', 'string'],
      [2, 'info', { message: 'Info' }],
    ],
    extensions: 9,
  },
  Info: {
    fields: [
      [1, 'title', 'string'],
      [2, 'description', 'string'],
      [6, 'version', 'string'],
    ],
    extensions: 7,
  },
  Components: { fields: [[7, 'securitySchemes', { named: 'SecuritySchemeOrReference' }]], extensions: 10 },
  SecurityScheme: {
    fields: [
      [1, 'type', 'string'],
      [2, 'description', 'string'],
      [3, 'name', 'string'],
      [4, 'in', 'string'],
      [5, 'scheme', 'string'],
      [6, 'bearerFormat', 'string'],
    ],
    extensions: 9,
  },
  PathItem: {
    fields: [
      [2, 'summary', 'string'],
      [3, 'description', 'string'],
      [4, 'get', OPERATION],
      [5, 'put', OPERATION],
      [6, 'post', OPERATION],
      [7, 'delete', OPERATION],
      [8, 'options', OPERATION],
      [9, 'head', OPERATION],
      [10, 'patch', OPERATION],
      [11, 'trace', OPERATION],
      [13, 'parameters', PARAMETERS],
    ],
    extensions: 14,
  },
  Operation: {
    fields: [
      [1, 'tags', 'strings'],
      [2, 'summary', 'string'],
      [3, 'description', 'string'],
      [5, 'operationId', 'string'],
      [6, 'parameters', PARAMETERS],
      [7, 'requestBody', { message: 'RequestBodyOrReference' }],
      [8, 'responses', { message: 'Responses' }],
      [10, 'deprecated', 'bool'],
    ],
    extensions: 13,
  },
  Parameter: {
    fields: [
      [1, 'name', 'string'],
      [2, 'in', 'string'],
      [3, 'description', 'string'],
      [4, 'required', 'bool'],
      [5, 'deprecated', 'bool'],
      [6, 'allowEmptyValue', 'bool'],
      [7, 'style', 'string'],
      [8, 'explode', 'bool'],
      [9, 'allowReserved', 'bool'],
      [10, 'schema', SCHEMA],
      [13, 'content', CONTENT],
    ],
    extensions: 14,
  },
  RequestBody: {
    fields: [
      [1, 'description', 'string'],
      [2, 'content', CONTENT],
      [3, 'required', 'bool'],
    ],
    extensions: 4,
  },
  Responses: { fields: [], entries: [2, 'ResponseOrReference'], extensions: 3 },
  Response: {
    fields: [
      [1, 'description', 'string'],
      [3, 'content', CONTENT],
    ],
    extensions: 5,
  },
  MediaType: { fields: [[1, 'schema', SCHEMA]], extensions: 5 },
  Reference: {
    fields: [
      [1, '$ref', 'string'],
      [2, 'summary', 'string'],
      [3, 'description', 'string'],
    ],
  },
  Schema: {
    fields: [
      [1, 'nullable', 'bool'],
      [3, 'readOnly', 'bool'],
      [4, 'writeOnly', 'bool'],
      [8, 'deprecated', 'bool'],
      [9, 'title', 'string'],
      [10, 'multipleOf', 'double'],
      [11, 'maximum', 'double'],
      [12, 'exclusiveMaximum', 'bool'],
      [13, 'minimum', 'double'],
      [14, 'exclusiveMinimum', 'bool'],
      [15, 'maxLength', 'integer'],
      [16, 'minLength', 'integer'],
      [17, 'pattern', 'string'],
      [18, 'maxItems', 'integer'],
      [19, 'minItems', 'integer'],
      [20, 'uniqueItems', 'bool'],
      [21, 'maxProperties', 'integer'],
      [22, 'minProperties', 'integer'],
      [23, 'required', 'strings'],
      [24, 'enum', 'anys'],
      [25, 'type', 'string'],
      [26, 'allOf', SCHEMAS],
      [27, 'oneOf', SCHEMAS],
      [28, 'anyOf', SCHEMAS],
      [29, 'not', { message: 'Schema' }],
      [30, 'items', 'schemaItem'],
      [31, 'properties', { named: 'SchemaOrReference' }],
      [32, 'additionalProperties', 'schemaItem'],
      [33, 'default', 'default'],
      [34, 'description', 'string'],
      [35, 'format', 'string'],
    ],
    extensions: 36,
  },
};

/** Messages that hold another one or a reference to it. */
const CHOICES = {
  ParameterOrReference: 'Parameter',
  RequestBodyOrReference: 'RequestBody',
  ResponseOrReference: 'Response',
  SchemaOrReference: 'Schema',
  SecuritySchemeOrReference: 'SecurityScheme',
} as const;

type ChoiceName = keyof typeof CHOICES;
type MessageName =
  | 'Components'
  | 'Document'
  | 'Info'
  | 'MediaType'
  | 'Operation'
  | 'Parameter'
  | 'PathItem'
  | 'Reference'
  | 'RequestBody'
  | 'Response'
  | 'Responses'
  | 'Schema'
  | 'SecurityScheme'
  | ChoiceName;
