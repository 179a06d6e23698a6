import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionsFrom } from '@pintle/generate';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import {
  atomic,
  conditions,
  defineResource,
  embeddedResource,
  exactly,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  rule,
} from '@pintle/operator';
import { startControlPlane } from '@pintle/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const folder = mkdtempSync(join(tmpdir(), 'pintle-crds-'));
afterAll(() => rmSync(folder, { recursive: true }));

function definitionsOf(files: Readonly<Record<string, string>>): CustomResourceDefinition[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return definitionsFrom(folder, Object.keys(files));
}

function problemsOf(files: Readonly<Record<string, string>>): string[] {
  try {
    definitionsOf(files);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

/** An interface whose spec has one field. */
const withField = (field: string, more = ''): string => `
import type { Condition } from '@pintle/operator';
${more}
/** @resource group=g.test version=v1 */
export interface Thing { spec: { ${field} } }
`;

/** A field with its tags, and the schema that says the same. */
const GOLDEN: Readonly<Record<string, readonly [field: string, schema: z.ZodType, more?: string]>> = {
  string: ['field: string', z.string()],
  number: ['field: number', z.number()],
  boolean: ['field: boolean', z.boolean()],
  'optional by ?': ['field?: string', z.string().optional()],
  'optional by undefined': ['field: string | undefined', z.string().optional()],
  '@optional': ['/** @optional */ field: string', z.string().optional()],
  '@required': ['/** @required */ field?: string', z.string()],
  description: ['/** What it is. */ field: string', z.string().describe('What it is.')],
  '@description': ['/** @description "a\\n@b" */ field: string', z.string().describe('a\n@b')],
  '@title': ['/** @title Name */ field: string', z.string().meta({ title: 'Name' })],
  '@integer': ['/** @integer */ field: number', z.int()],
  '@format int32': ['/** @format int32 */ field: number', z.int32()],
  '@format int64': ['/** @format int64 */ field: number', z.int().meta({ format: 'int64' })],
  '@format date-time': ['/** @format date-time */ field: string', z.iso.datetime()],
  '@minimum @maximum': ['/**\n * @minimum 1\n * @maximum 9\n */ field: number', z.number().min(1).max(9)],
  '@exclusiveMinimum @exclusiveMaximum': [
    '/**\n * @exclusiveMinimum 1\n * @exclusiveMaximum 9\n */ field: number',
    z.number().gt(1).lt(9),
  ],
  '@multipleOf': ['/** @multipleOf 0.5 */ field: number', z.number().multipleOf(0.5)],
  '@minLength @maxLength': ['/**\n * @minLength 1\n * @maxLength 9\n */ field: string', z.string().min(1).max(9)],
  '@pattern': ['/** @pattern ^[a-z]+$ */ field: string', z.string().regex(/^[a-z]+$/)],
  '@enum': ['/** @enum a,b */ field: string', z.enum(['a', 'b'])],
  '@enum as JSON': ['/** @enum ["a","b"] */ field: string', z.enum(['a', 'b'])],
  'a union of texts': ["field: 'a' | 'b'", z.enum(['a', 'b'])],
  'an enum': ['field: Color', z.enum(['red']), "enum Color { Red = 'red' }"],
  '@default': ['/** @default 3 */ field?: number', z.number().default(3)],
  '@default of a text': ['/** @default blue */ field: string', z.string().default('blue')],
  '@default of an object': [
    '/** @default {"a": 1} */ field: { a: number }',
    z.object({ a: z.number() }).default({ a: 1 }),
  ],
  '@nullable': ['/** @nullable */ field: string', z.string().nullable()],
  'a union with null': ['field: string | null', z.string().nullable()],
  'a list': ['field: string[]', z.array(z.string())],
  'a readonly list': ['field: readonly string[]', z.array(z.string())],
  '@minItems @maxItems': [
    '/**\n * @minItems 1\n * @maxItems 9\n */ field: string[]',
    z.array(z.string()).min(1).max(9),
  ],
  '@items': ['/** @items.minLength 2 */ field: string[]', z.array(z.string().min(2))],
  '@values': ['/** @values.minLength 2 */ field: Record<string, string>', z.record(z.string(), z.string().min(2))],
  '@listType set': ['/** @listType set */ field: string[]', listSet(z.array(z.string()))],
  '@listType atomic': ['/** @listType atomic */ field: string[]', atomic(z.array(z.string()))],
  '@listType map @listMapKey': [
    '/**\n * @listType map\n * @listMapKey a\n */ field: { a: string }[]',
    listMap(z.array(z.object({ a: z.string() })), ['a']),
  ],
  '@mapType atomic': ['/** @mapType atomic */ field: { a?: string }', atomic(z.object({ a: z.string().optional() }))],
  '@minProperties @maxProperties': [
    '/**\n * @minProperties 1\n * @maxProperties 2\n */ field: Record<string, string>',
    exactly(z.record(z.string(), z.string()), { type: 'object', minProperties: 1, maxProperties: 2 }),
  ],
  'values by key': ['field: { [key: string]: number }', z.record(z.string(), z.number())],
  'values by a few keys': ["field: Record<'a' | 'b', number>", z.record(z.enum(['a', 'b']), z.number())],
  unknown: ['field: unknown', z.unknown()],
  '@preserveUnknownFields': [
    '/** @preserveUnknownFields */ field: { a: string }',
    preserveUnknown(z.object({ a: z.string() })),
  ],
  'fields and anything else': ['field: { a: string; [key: string]: unknown }', z.looseObject({ a: z.string() })],
  '@intOrString': ['/** @intOrString */ field: unknown', intOrString()],
  'number | string': ['field: number | string', intOrString()],
  '@embeddedResource': [
    '/**\n * @embeddedResource\n */ field: { apiVersion: string; kind: string; metadata?: { [key: string]: unknown }; [key: string]: unknown }',
    embeddedResource(),
  ],
  '@rule': [
    '/** @rule self.a <= self.b message="a is at most b" reason=FieldValueInvalid fieldPath=.a */ field: { a: number; b: number }',
    rule(z.object({ a: z.number(), b: z.number() }), {
      rule: 'self.a <= self.b',
      message: 'a is at most b',
      reason: 'FieldValueInvalid',
      fieldPath: '.a',
    }),
  ],
  '@schema': [
    '/** @schema {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]} */ field: { a?: string; b?: string }',
    exactly(z.object({ a: z.string().optional(), b: z.string().optional() }), {
      type: 'object',
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    }),
  ],
  '@exactly': ['/** @exactly {"type": "string", "maxLength": 3} */ field: unknown', z.string().max(3)],
  '@structType': ['/** @structType atomic */ field: { a?: string }', atomic(z.object({ a: z.string().optional() }))],
  '@type': ['/** @type integer */ field: number', z.int()],
  'a named type with tags of its own': [
    'field: Port',
    z.int32().min(1).max(65_535).describe('A port.'),
    '/**\n * A port.\n * @format int32\n * @minimum 1\n * @maximum 65535\n */\ntype Port = number;',
  ],
  'an interface that extends another': [
    'field: Both',
    z.object({ a: z.string(), b: z.number().optional() }),
    'interface One { a: string }\ninterface Both extends One { b?: number }',
  ],
  'an intersection': [
    'field: { a: string } & { b: number }',
    z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  ],
  'a union of objects': [
    "field: { type: 'a'; x: string } | { type: 'b' }",
    z.union([z.object({ type: z.literal('a'), x: z.string() }), z.object({ type: z.literal('b') })]),
  ],
  Partial: ['field: Partial<{ a: string }>', z.object({ a: z.string().optional() })],
  Pick: ["field: Pick<{ a: string; b: string }, 'a'>", z.object({ a: z.string() })],
  Omit: ["field: Omit<{ a: string; b: string }, 'a'>", z.object({ b: z.string() })],
  Date: ['field: Date', z.iso.datetime()],
  conditions: ['/**\n * @listType map\n * @listMapKey type\n */ field?: Condition[]', conditions()],
};

describe('a field with its tags is defined as defineResource does it', () => {
  test.each(Object.entries(GOLDEN))('%s', (_name, [field, schema, more]) => {
    const [found] = definitionsOf({ 'thing.ts': withField(field, more) });
    const spec = z.object({ field: schema });
    expect(found).toEqual(defineResource({ group: 'g.test', version: 'v1', kind: 'Thing', spec }).definition);
  });
});

const GARDEN = `
/** @groupName plants.test */
import type { Bed } from './bed.ts';

/**
 * Where things grow.
 *
 * @resource version=v1 scope=Cluster shortNames=gd,gds categories=all plural=gardens
 * @storageVersion
 * @subresource scale specReplicasPath=.spec.replicas statusReplicasPath=.status.replicas labelSelectorPath=.status.selector
 * @printColumn name=Size type=integer jsonPath=.spec.replicas priority=1 description="how many"
 * @selectableField .spec.color
 * @rule self.metadata.name.size() < 20 message="too long"
 * @label tier=one
 * @annotation note=yes
 * @annotation example.com/words="two words"
 */
export interface Garden {
  spec: { color?: string; /** @format int32 */ replicas: number; beds?: Bed[] };
  status?: { /** @format int32 */ replicas?: number; selector?: string };
}

/**
 * @resource version=v1beta1 kind=Garden
 * @deprecatedVersion use v1
 * @unservedVersion
 */
export interface OldGarden { spec?: { color?: string } }
`;
const BED = '/** A bed. */\nexport interface Bed { name: string }\n';

test('a resource with versions, subresources, columns, rules and types of other files', () => {
  const [found, ...others] = definitionsOf({ 'garden.ts': GARDEN, 'bed.ts': BED });
  const bed = z.object({ name: z.string() }).describe('A bed.');
  const { definition } = defineResource({
    group: 'plants.test',
    kind: 'Garden',
    scope: 'Cluster',
    shortNames: ['gd', 'gds'],
    categories: ['all'],
    labels: { tier: 'one' },
    annotations: { note: 'yes', 'example.com/words': 'two words' },
    conversion: { strategy: 'None' },
    storage: 'v1',
    versions: {
      v1: {
        description: 'Where things grow.',
        spec: z.object({ color: z.string().optional(), replicas: z.int32(), beds: z.array(bed).optional() }),
        status: z.object({ replicas: z.int32().optional(), selector: z.string().optional() }),
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
        columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.replicas', priority: 1, description: 'how many' }],
        selectableFields: ['.spec.color'],
        rules: [{ rule: 'self.metadata.name.size() < 20', message: 'too long' }],
      },
      v1beta1: { spec: z.object({ color: z.string().optional() }).optional(), deprecated: 'use v1', served: false },
    },
  });
  expect(found).toEqual(definition);
  expect(others).toEqual([]);
});

test('what cannot be said is told with its file and line', () => {
  const check = (field: string, problem: string, more?: string): void =>
    expect(problemsOf({ 'thing.ts': withField(field, more) })).toEqual([problem]);
  check('field: bigint', 'thing.ts:5: spec.field: a CRD cannot express this type');
  check('field: Missing', 'thing.ts:5: cannot find Missing');
  check('/** @minimun 3 */ field: number', 'thing.ts:5: @minimun is not a known tag');
  check('/** @minLength 3 */ field: number', 'thing.ts:5: @minLength is for string, this is number');
  check('/** @minimum x */ field: number', 'thing.ts:5: @minimum takes a number, not "x"');
  check('/** @default x */ field: number', 'thing.ts:5: @default takes JSON, not x');
  check(
    'field: Node',
    'thing.ts:3: Node is recursive, which the schema of a resource cannot be',
    'interface Node { next: Node }',
  );
  check(
    'field: string | string[]',
    'thing.ts:5: spec.field: a union of string and array: Kubernetes knows one type for each field',
  );
});

test('the API server takes every construct', async () => {
  await using plane = await startControlPlane();
  const fields = Object.values(GOLDEN).map(([field], index) => field.replace(/\bfield(\??):/, `field${index}$1:`));
  const more = Object.values(GOLDEN).map(([, , text = '']) => text);
  const [everything] = definitionsOf({ 'thing.ts': withField(fields.join(';\n'), more.join('\n')) });
  const [garden] = definitionsOf({ 'garden.ts': GARDEN, 'bed.ts': BED });
  for (const definition of [everything!, garden!]) {
    const created = await plane.client.create(CustomResourceDefinition, definition);
    expect(created.spec).toEqual(definition.spec);
  }
});
