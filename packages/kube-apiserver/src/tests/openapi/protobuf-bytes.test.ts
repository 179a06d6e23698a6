import { createHash } from 'node:crypto';
import { encodeV3, v2Writer } from '@pintle/apiserver/testing';
import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer } from '../../testing/open-test-server.ts';

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

/**
 * One line for each document: its name, the hash of its JSON and that of its bytes. Where only the last one changes, the
 * same document is written in other bytes than before. `npx vitest run FILE -u` takes new ones.
 */
test('documents of built-in groups have the bytes they had', async () => {
  await using server = await openTestServer();
  const { paths } = JSON.parse(Buffer.from(await bodyAt(server, '/openapi/v3', 'application/json')).toString());
  const names = [
    ['/openapi/v2', V2_PROTOBUF],
    ...Object.keys(paths).map((name) => [`/openapi/v3/${name}`, V3_PROTOBUF]),
  ];
  const lines: string[] = [];
  for (const [path = '', type = ''] of names) {
    const [json, protobuf] = [await bodyAt(server, path, 'application/json'), await bodyAt(server, path, type)];
    lines.push(`${path} ${hashOf(json)} ${hashOf(protobuf)}\n`);
  }
  expect(lines.length).toBeGreaterThan(40);
  await expect(lines.join('')).toMatchFileSnapshot('../../testdata/openapi-bytes.txt');
});

async function bodyAt(server: TestServer, path: string, accept: string): Promise<Uint8Array> {
  const { status, body } = await server.send('GET', path, { headers: { accept } });
  expect(`${path} ${status}`).toBe(`${path} 200`);
  return body as Uint8Array;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 20);
}

const ODD_SCHEMA: JsonObject = {
  description: '',
  'x-list': [1, 'zwei', null, { a: true }],
  type: 'object',
  title: 'Größe',
  maximum: 1.5,
  minimum: 0,
  exclusiveMaximum: true,
  exclusiveMinimum: false,
  minLength: 0,
  maxLength: 300,
  maxItems: 2 ** 40,
  pattern: '^a$',
  enum: ['a', 1, false],
  required: ['b', 'a'],
  'not-known': 1,
  default: { a: 1 },
  multipleOf: 2,
  uniqueItems: true,
};

const REFERENCE = { $ref: '#/definitions/x' };

test('every kind of field has the bytes it had, of OpenAPI 2', () => {
  const schema: JsonObject = {
    ...ODD_SCHEMA,
    additionalProperties: ODD_SCHEMA,
    items: REFERENCE,
    allOf: [REFERENCE, ODD_SCHEMA],
    properties: { b: ODD_SCHEMA, a: REFERENCE },
  };
  const item: JsonObject = {
    parameters: [REFERENCE, { name: 'n', in: 'path', required: true, type: 'string', uniqueItems: true }],
    get: {
      tags: ['t'],
      produces: ['application/json', 'application/yaml'],
      consumes: ['*/*'],
      schemes: ['https'],
      operationId: 'getIt',
      description: 'Gets it',
      parameters: [
        { name: 'body', in: 'body', required: true, schema, description: 'd' },
        { name: 'q', in: 'query', type: 'integer', description: 'e', required: false, uniqueItems: true },
      ],
      responses: { 401: { description: 'Unauthorized' }, 200: { description: 'OK', schema: REFERENCE } },
      'x-kubernetes-action': 'get',
    },
  };
  expect([hashOf(v2Writer.encode('Schema', schema)), hashOf(v2Writer.encode('PathItem', item))]).toEqual([
    '78625efa8c16f7a11b5a',
    '7c1975bd750b239f7048',
  ]);
});

test('every kind of field has the bytes it had, of OpenAPI 3', async () => {
  const schema: JsonObject = {
    ...ODD_SCHEMA,
    nullable: true,
    readOnly: false,
    additionalProperties: true,
    items: [REFERENCE, ODD_SCHEMA],
    oneOf: [{ default: 1.5 }, { default: 'text' }, { default: true }, { default: false }, { default: null }],
    not: ODD_SCHEMA,
    properties: { b: ODD_SCHEMA, a: REFERENCE, c: { additionalProperties: false, items: REFERENCE } },
  };
  const content = { 'application/json': { schema, 'x-a': {} }, '*/*': { schema: REFERENCE } };
  const responses = {
    401: { description: 'Unauthorized' },
    200: { description: '', content },
    'x-r': 1,
    201: REFERENCE,
  };
  const parameter = { name: 'q', in: 'query', required: false, explode: true, schema: { type: 'string' }, 'x-p': 'p' };
  const document: JsonObject = {
    'x-before': 'b',
    paths: Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [
        `/p${index}`,
        { parameters: [parameter, REFERENCE], post: { responses, requestBody: { required: true, content } } },
      ]),
    ),
    info: { version: '1', title: 'T', 'x-i': [] },
    openapi: '3.0.0',
    components: {
      securitySchemes: { b: { type: 'apiKey', in: 'header' }, a: REFERENCE },
      schemas: { b: schema, a: REFERENCE },
      'x-c': null,
    },
  };
  expect([hashOf(await encodeV3(document)), hashOf(await encodeV3({}))]).toEqual([
    '3505a421df700772454c',
    '71f0f1f3fdab521c1203',
  ]);
});

test('numbers that no integer is end all the same', () => {
  for (const [text, hex] of [
    ['1e999', '5800'],
    ['-1', '58ffffffffffffffffff01'],
    ['1.5', '5801'],
  ]) {
    const written = v2Writer.encode('Schema', JSON.parse(`{"maxLength":${text}}`));
    expect(Buffer.from(written).toString('hex')).toBe(hex);
  }
});
