import { yieldToEventLoop } from '@pintle/async';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { stringifyYaml } from '@pintle/machinery/yaml';
import type { Choice, MessageForm } from './message-writer.ts';
import { joinFields, MessageWriter, reversed } from './message-writer.ts';

/** Encodes an OpenAPI 3 document as a message of `openapi.v3`. Yields between entries. */
export async function encodeV3(document: JsonObject): Promise<Uint8Array> {
  const { paths = {}, components = {}, ...rest } = document as Record<string, JsonObject>;
  const pathItems = await encodeEntries('PathItem', paths);
  const parts = await encodeComponents(components as Record<string, JsonObject>);
  return Buffer.concat([
    writer.encode('Document', rest),
    joinFields([
      [4, pathItems],
      [5, parts],
    ]),
  ]);
}

async function encodeComponents({ schemas, ...others }: Record<string, JsonObject>): Promise<Uint8Array> {
  const types = schemas === undefined ? [] : [joinFields([[1, await encodeEntries('SchemaOrReference', schemas)]])];
  return Buffer.concat([...types, writer.encode('Components', others)]);
}

/** Entries that are encoded before yielding. */
const ENTRIES_AT_ONCE = 50;

async function encodeEntries(name: MessageName, entries: JsonObject): Promise<Uint8Array> {
  const written: [number, Uint8Array][] = [];
  for (const [key, item] of Object.entries(entries)) {
    if (written.length % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await yieldToEventLoop();
    written.push([1, writer.encodeNamed(name, key, item as JsonObject)]);
  }
  return joinFields(written);
}

/** A schema, several, or a boolean in place of one. */
function writeSchemaItem(value: JsonValue, to: MessageWriter<MessageName>): void {
  if (typeof value === 'boolean') to.bool(2, value);
  else for (const item of reversed(value)) to.message(1, 'SchemaOrReference', item);
}

/** Writes a scalar default. Of other defaults, only their presence is encoded. */
function writeDefault(value: JsonValue, to: MessageWriter<MessageName>): void {
  if (typeof value === 'boolean') to.bool(2, value);
  else if (typeof value === 'string') to.string(3, value);
  else if (typeof value === 'number' || typeof value === 'bigint') to.double(1, Number(value));
}

const OPERATION = { message: 'Operation' } as const;
const SCHEMA = { message: 'SchemaOrReference' } as const;
const SCHEMAS = { list: 'SchemaOrReference' } as const;
const PARAMETERS = { list: 'ParameterOrReference' } as const;
const CONTENT = { named: 'MediaType' } as const;

const FORMS: Readonly<Record<Exclude<MessageName, ChoiceName>, MessageForm<MessageName>>> = {
  Document: {
    fields: {
      openapi: [1, 'string'],
      info: [2, { message: 'Info' }],
    },
    extensions: 9,
  },
  Info: {
    fields: {
      title: [1, 'string'],
      description: [2, 'string'],
      version: [6, 'string'],
    },
    extensions: 7,
  },
  Components: { fields: { securitySchemes: [7, { named: 'SecuritySchemeOrReference' }] }, extensions: 10 },
  SecurityScheme: {
    fields: {
      type: [1, 'string'],
      description: [2, 'string'],
      name: [3, 'string'],
      in: [4, 'string'],
      scheme: [5, 'string'],
      bearerFormat: [6, 'string'],
    },
    extensions: 9,
  },
  PathItem: {
    fields: {
      summary: [2, 'string'],
      description: [3, 'string'],
      get: [4, OPERATION],
      put: [5, OPERATION],
      post: [6, OPERATION],
      delete: [7, OPERATION],
      options: [8, OPERATION],
      head: [9, OPERATION],
      patch: [10, OPERATION],
      trace: [11, OPERATION],
      parameters: [13, PARAMETERS],
    },
    extensions: 14,
  },
  Operation: {
    fields: {
      tags: [1, 'strings'],
      summary: [2, 'string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      parameters: [6, PARAMETERS],
      requestBody: [7, { message: 'RequestBodyOrReference' }],
      responses: [8, { message: 'Responses' }],
      deprecated: [10, 'bool'],
    },
    extensions: 13,
  },
  Parameter: {
    fields: {
      name: [1, 'string'],
      in: [2, 'string'],
      description: [3, 'string'],
      required: [4, 'bool'],
      deprecated: [5, 'bool'],
      allowEmptyValue: [6, 'bool'],
      style: [7, 'string'],
      explode: [8, 'bool'],
      allowReserved: [9, 'bool'],
      schema: [10, SCHEMA],
      content: [13, CONTENT],
    },
    extensions: 14,
  },
  RequestBody: {
    fields: {
      description: [1, 'string'],
      content: [2, CONTENT],
      required: [3, 'bool'],
    },
    extensions: 4,
  },
  Responses: { fields: {}, entries: [2, 'ResponseOrReference'], extensions: 3 },
  Response: {
    fields: {
      description: [1, 'string'],
      content: [3, CONTENT],
    },
    extensions: 5,
  },
  MediaType: { fields: { schema: [1, SCHEMA] }, extensions: 5 },
  Reference: {
    fields: {
      $ref: [1, 'string'],
      summary: [2, 'string'],
      description: [3, 'string'],
    },
  },
  Schema: {
    fields: {
      nullable: [1, 'bool'],
      readOnly: [3, 'bool'],
      writeOnly: [4, 'bool'],
      deprecated: [8, 'bool'],
      title: [9, 'string'],
      multipleOf: [10, 'double'],
      maximum: [11, 'double'],
      exclusiveMaximum: [12, 'bool'],
      minimum: [13, 'double'],
      exclusiveMinimum: [14, 'bool'],
      maxLength: [15, 'integer'],
      minLength: [16, 'integer'],
      pattern: [17, 'string'],
      maxItems: [18, 'integer'],
      minItems: [19, 'integer'],
      uniqueItems: [20, 'bool'],
      maxProperties: [21, 'integer'],
      minProperties: [22, 'integer'],
      required: [23, 'strings'],
      enum: [24, 'anys'],
      type: [25, 'string'],
      allOf: [26, SCHEMAS],
      oneOf: [27, SCHEMAS],
      anyOf: [28, SCHEMAS],
      not: [29, { message: 'Schema' }],
      items: [30, writeSchemaItem],
      properties: [31, { named: 'SchemaOrReference' }],
      additionalProperties: [32, writeSchemaItem],
      default: [33, writeDefault],
      description: [34, 'string'],
      format: [35, 'string'],
    },
    extensions: 36,
  },
};

/** A message that holds another or a reference to it. */
function orReference(name: MessageName): Choice<MessageName> {
  return (value) => ('$ref' in value ? [2, 'Reference'] : [1, name]);
}

const writer = new MessageWriter<MessageName>({
  messages: {
    ...FORMS,
    ParameterOrReference: orReference('Parameter'),
    RequestBodyOrReference: orReference('RequestBody'),
    ResponseOrReference: orReference('Response'),
    SchemaOrReference: orReference('Schema'),
    SecuritySchemeOrReference: orReference('SecurityScheme'),
  },
  isCanonical: true,
  toYaml: stringifyYaml,
});

type ChoiceName =
  | 'ParameterOrReference'
  | 'RequestBodyOrReference'
  | 'ResponseOrReference'
  | 'SchemaOrReference'
  | 'SecuritySchemeOrReference';
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
