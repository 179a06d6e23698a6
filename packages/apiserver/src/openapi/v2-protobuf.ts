import type { Choice, MessageForm } from './message-writer.ts';
import { MessageWriter } from './message-writer.ts';

const FORMS: Readonly<Record<Exclude<MessageName, ChoiceName>, MessageForm<MessageName>>> = {
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
      /** A list with one type name. */
      type: [22, (value, writer) => writer.string(1, String(value))],
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

/** Messages that hold one of several others. */
const CHOICES: Readonly<Record<ChoiceName, Choice<MessageName>>> = {
  ParametersItem: (value) => ('$ref' in value ? [2, 'JsonReference'] : [1, 'Parameter']),
  Parameter: (value) => (value.in === 'body' ? [1, 'BodyParameter'] : [2, 'NonBodyParameter']),
  NonBodyParameter: (value) => (value.in === 'path' ? [4, 'PathParameter'] : [3, 'QueryParameter']),
  ResponseValue: () => [1, 'Response'],
  SchemaItem: () => [1, 'Schema'],
  AdditionalPropertiesItem: () => [1, 'Schema'],
  ItemsItem: () => [1, 'Schema'],
  SecurityDefinitionsItem: () => [2, 'ApiKeySecurity'],
};

/** Encodes parts of an OpenAPI 2 document as messages of `openapi.v2`, which client-go reads. */
export const v2Writer = new MessageWriter<MessageName>({
  messages: { ...FORMS, ...CHOICES },
  isCanonical: false,
  toYaml: (value) => `${JSON.stringify(value)}\n`,
});

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
