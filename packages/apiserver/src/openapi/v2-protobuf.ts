import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import type { MessagesForm, ScalarForm } from './proto-parts.ts';
import { anyOf, asList, namedEntry } from './proto-parts.ts';
import { ProtoWriter } from './proto-writer.ts';

/** How a field of the JSON document stands in a message. */
type FieldForm =
  | ScalarForm
  | MessagesForm<MessageName>
  /** A list of type names, of which there is one. */
  | 'type';

interface MessageForm {
  readonly fields: Readonly<Record<string, readonly [number, FieldForm]>>;
  /** Where `x-…` keys go. */
  readonly extensions?: number;
}

/** Writes a part of an OpenAPI 2 document as a message of `openapi.v2`, which is what client-go reads. */
export function encodeV2(name: MessageName, value: JsonObject): Uint8Array {
  const writer = new ProtoWriter();
  if (isChoice(name)) {
    const [field, chosen] = CHOICES[name](value);
    return writer.bytes(field, encodeV2(chosen, value)).finish();
  }
  const { fields, extensions } = FORMS[name];
  for (const [key, item] of Object.entries(value)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined) writeField(writer, field[0], field[1], item);
    else if (extensions !== undefined && key.startsWith('x-')) writer.bytes(extensions, namedEntry(key, any(item)));
  }
  return writer.finish();
}

function isChoice(name: MessageName): name is ChoiceName {
  return Object.hasOwn(CHOICES, name);
}

/** One entry of a map, as in `definitions` or `paths`. */
export function encodeNamed(name: MessageName, key: string, value: JsonObject): Uint8Array {
  return namedEntry(key, encodeV2(name, value));
}

function writeField(writer: ProtoWriter, number: number, form: FieldForm, value: JsonValue): void {
  if (typeof form === 'object') writeMessages(writer, number, form, value);
  else if (form === 'string') writer.string(number, String(value));
  else if (form === 'strings') for (const item of asList(value)) writer.string(number, String(item));
  else if (form === 'bool') writer.integer(number, value === true ? 1 : 0);
  else if (form === 'integer') writer.integer(number, Number(value));
  else if (form === 'double') writer.double(number, Number(value));
  else if (form === 'type') writer.bytes(number, new ProtoWriter().string(1, String(value)).finish());
  else for (const item of asList(value)) writer.bytes(number, any(item));
}

function writeMessages(writer: ProtoWriter, number: number, form: Exclude<FieldForm, string>, value: JsonValue): void {
  if ('message' in form) writer.bytes(number, encodeV2(form.message, value as JsonObject));
  else if ('list' in form)
    for (const item of asList(value)) writer.bytes(number, encodeV2(form.list, item as JsonObject));
  else {
    const entries = new ProtoWriter();
    for (const [key, item] of Object.entries(value as JsonObject)) {
      entries.bytes(1, encodeNamed(form.named, key, item as JsonObject));
    }
    writer.bytes(number, entries.finish());
  }
}

function any(value: JsonValue): Uint8Array {
  return anyOf(`${JSON.stringify(value)}\n`);
}

const FORMS: Readonly<Record<Exclude<MessageName, ChoiceName>, MessageForm>> = {
  Schema: {
    fields: {
      $ref: [1, 'string'],
      format: [2, 'string'],
      title: [3, 'string'],
      description: [4, 'string'],
      multipleOf: [6, 'double'],
      maximum: [7, 'double'],
      exclusiveMaximum: [8, 'bool'],
      minimum: [9, 'double'],
      exclusiveMinimum: [10, 'bool'],
      maxLength: [11, 'integer'],
      minLength: [12, 'integer'],
      pattern: [13, 'string'],
      maxItems: [14, 'integer'],
      minItems: [15, 'integer'],
      uniqueItems: [16, 'bool'],
      maxProperties: [17, 'integer'],
      minProperties: [18, 'integer'],
      required: [19, 'strings'],
      enum: [20, 'anys'],
      additionalProperties: [21, { message: 'AdditionalPropertiesItem' }],
      type: [22, 'type'],
      items: [23, { message: 'ItemsItem' }],
      allOf: [24, { list: 'Schema' }],
      properties: [25, { named: 'Schema' }],
    },
    extensions: 31,
  },
  Operation: {
    fields: {
      tags: [1, 'strings'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      produces: [6, 'strings'],
      consumes: [7, 'strings'],
      parameters: [8, { list: 'ParametersItem' }],
      responses: [9, { named: 'ResponseValue' }],
      schemes: [10, 'strings'],
    },
    extensions: 13,
  },
  PathItem: {
    fields: {
      get: [2, { message: 'Operation' }],
      put: [3, { message: 'Operation' }],
      post: [4, { message: 'Operation' }],
      delete: [5, { message: 'Operation' }],
      options: [6, { message: 'Operation' }],
      head: [7, { message: 'Operation' }],
      patch: [8, { message: 'Operation' }],
      parameters: [9, { list: 'ParametersItem' }],
    },
  },
  BodyParameter: {
    fields: {
      description: [1, 'string'],
      name: [2, 'string'],
      in: [3, 'string'],
      required: [4, 'bool'],
      schema: [5, { message: 'Schema' }],
    },
  },
  QueryParameter: {
    fields: {
      required: [1, 'bool'],
      in: [2, 'string'],
      description: [3, 'string'],
      name: [4, 'string'],
      type: [6, 'string'],
      uniqueItems: [20, 'bool'],
    },
  },
  PathParameter: {
    fields: {
      required: [1, 'bool'],
      in: [2, 'string'],
      description: [3, 'string'],
      name: [4, 'string'],
      type: [5, 'string'],
      uniqueItems: [19, 'bool'],
    },
  },
  Response: { fields: { description: [1, 'string'], schema: [2, { message: 'SchemaItem' }] } },
  JsonReference: { fields: { $ref: [1, 'string'] } },
  Info: { fields: { title: [1, 'string'], version: [2, 'string'] } },
  ApiKeySecurity: {
    fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
  },
};

/** Messages that only say which of several others follows. */
const CHOICES: Readonly<Record<ChoiceName, (value: JsonObject) => readonly [number, MessageName]>> = {
  ParametersItem: (value) => ('$ref' in value ? [2, 'JsonReference'] : [1, 'Parameter']),
  Parameter: (value) => (value.in === 'body' ? [1, 'BodyParameter'] : [2, 'NonBodyParameter']),
  NonBodyParameter: (value) => (value.in === 'path' ? [4, 'PathParameter'] : [3, 'QueryParameter']),
  ResponseValue: () => [1, 'Response'],
  SchemaItem: () => [1, 'Schema'],
  AdditionalPropertiesItem: () => [1, 'Schema'],
  ItemsItem: () => [1, 'Schema'],
  SecurityDefinitionsItem: () => [2, 'ApiKeySecurity'],
};

export type MessageName =
  | 'ApiKeySecurity'
  | 'BodyParameter'
  | 'Info'
  | 'JsonReference'
  | 'Operation'
  | 'PathItem'
  | 'PathParameter'
  | 'QueryParameter'
  | 'Response'
  | 'Schema'
  | ChoiceName;
type ChoiceName =
  | 'AdditionalPropertiesItem'
  | 'ItemsItem'
  | 'NonBodyParameter'
  | 'Parameter'
  | 'ParametersItem'
  | 'ResponseValue'
  | 'SchemaItem'
  | 'SecurityDefinitionsItem';
