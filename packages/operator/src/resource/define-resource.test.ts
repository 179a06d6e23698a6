import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Condition } from './conditions.ts';
import { conditions } from './conditions.ts';
import type { OneVersion } from './define-resource.ts';
import { defineResource } from './define-resource.ts';
import { ResourceError } from './errors.ts';
import type { ResourceSchema } from './resource-schema.ts';
import {
  atomic,
  embeddedResource,
  exactly,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  quantity,
  rule,
} from './schema-helpers.ts';

const Fruit = defineResource({
  group: 'user.k8sasdb.org',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int().min(1), sweetness: z.boolean().default(false), comment: z.string().optional() }),
  status: z.object({ ripe: z.boolean().optional(), conditions: conditions() }),
  columns: [{ name: 'Weight', type: 'integer', jsonPath: '.spec.weight' }],
});

/** What becomes of one field. */
function written(field: ResourceSchema): JSONSchemaProps {
  const properties = { field } as unknown as { field: z.ZodType };
  const { definition } = defineResource({ group: 'g.test', version: 'v1', kind: 'Thing', spec: z.object(properties) });
  return definition.spec.versions[0]!.schema!.openAPIV3Schema!.properties!.spec!.properties!.field!;
}

function problems(define: () => unknown): readonly { readonly path: string; readonly message: string }[] {
  try {
    define();
  } catch (error) {
    if (error instanceof ResourceError && error.failure.code === 'InvalidDefinition') return error.failure.problems;
    throw error;
  }
  return [];
}

describe('a resource', () => {
  test('is a descriptor', () => {
    expect(Fruit).toMatchObject({
      apiVersion: 'user.k8sasdb.org/v1',
      plural: 'fruits',
      singular: 'fruit',
      listKind: 'FruitList',
      scope: 'Namespaced',
    });
  });

  test('has a definition', () => {
    const { definition } = Fruit;
    expect(definition.metadata).toEqual({ name: 'fruits.user.k8sasdb.org' });
    const [version] = definition.spec.versions;
    expect(version).toMatchObject({ name: 'v1', served: true, storage: true, subresources: { status: {} } });
    expect(version!.additionalPrinterColumns).toEqual([{ name: 'Weight', type: 'integer', jsonPath: '.spec.weight' }]);
    const { properties, required } = version!.schema!.openAPIV3Schema!;
    expect(required).toEqual(['spec']);
    expect(properties!.spec).toEqual({
      type: 'object',
      required: ['weight'],
      properties: {
        weight: { type: 'integer', minimum: 1 },
        sweetness: { type: 'boolean', default: false },
        comment: { type: 'string' },
      },
    });
    expect(properties!.status!.properties!.conditions).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    });
  });

  test('has the types of its schemas', () => {
    expectTypeOf<typeof Fruit.Type.spec>().toEqualTypeOf<{
      weight: number;
      sweetness: boolean;
      comment?: string | undefined;
    }>();
    expectTypeOf<typeof Fruit.Input.spec>().toEqualTypeOf<{
      weight: number;
      sweetness?: boolean | undefined;
      comment?: string | undefined;
    }>();
    expectTypeOf<NonNullable<typeof Fruit.Type.status>['conditions']>().toEqualTypeOf<Condition[] | undefined>();
    expectTypeOf<typeof Fruit.Type>().not.toHaveProperty('data');
    expectTypeOf<typeof Fruit.Type.metadata.name>().toEqualTypeOf<string | undefined>();
  });

  test('may have no status, and a spec that is optional', () => {
    const Bare = defineResource({ group: 'g.test', version: 'v1', kind: 'Bare', scope: 'Cluster' });
    expectTypeOf<typeof Bare.Type>().not.toHaveProperty('spec');
    expectTypeOf<typeof Bare.Type>().not.toHaveProperty('status');
    const Loose = defineResource({
      group: 'g.test',
      version: 'v1',
      kind: 'Loose',
      spec: z.object({ a: z.int() }).optional(),
    });
    expectTypeOf<typeof Loose.Type>().toHaveProperty('spec').toEqualTypeOf<{ a: number } | undefined>();
    expect(Loose.definition.spec.versions[0]!.schema!.openAPIV3Schema!.required).toBeUndefined();
    expect(Bare.definition.spec.versions[0]).not.toHaveProperty('subresources');
  });

  test('whose spec has nothing required is given one by the server', () => {
    const spec = z.object({ size: z.int().default(1) });
    const Default = defineResource({ group: 'g.test', version: 'v1', kind: 'Default', spec });
    const schema = Default.definition.spec.versions[0]!.schema!.openAPIV3Schema!;
    expect(schema.required).toBeUndefined();
    expect(schema.properties!.spec!.default).toEqual({});
    expectTypeOf<typeof Default.Type.spec.size>().toEqualTypeOf<number>();
    expectTypeOf<typeof Default.Input>()
      .toHaveProperty('spec')
      .toEqualTypeOf<{ size?: number | undefined } | undefined>();
  });

  test.each([
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['StorageClass', 'storageclasses'],
    ['Box', 'boxes'],
    ['Fruit', 'fruits'],
  ])('%s in the plural is %s', (kind, plural) => {
    expect(defineResource({ group: 'g.test', version: 'v1', kind }).plural).toBe(plural);
  });

  test('takes names, scope, scale, selectable fields, rules and a description', () => {
    const { definition, shortNames } = defineResource({
      group: 'g.test',
      version: 'v1alpha1',
      kind: 'Cache',
      plural: 'caches',
      shortNames: ['ch'],
      categories: ['all'],
      scope: 'Cluster',
      description: 'Keeps things.',
      labels: { app: 'x' },
      spec: z.object({ replicas: z.int32().min(0).default(1), color: z.string().max(20) }),
      status: z.object({ replicas: z.int32().optional(), selector: z.string().optional() }),
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
      selectableFields: ['.spec.color'],
      rules: [{ rule: "self.metadata.name != 'no'", message: 'not this name' }],
      deprecated: 'use v1',
    });
    expect(shortNames).toEqual(['ch']);
    expect(definition.metadata.labels).toEqual({ app: 'x' });
    expect(definition.spec).toMatchObject({ scope: 'Cluster', names: { shortNames: ['ch'], categories: ['all'] } });
    expect(definition.spec.versions[0]).toMatchObject({
      deprecated: true,
      deprecationWarning: 'use v1',
      selectableFields: [{ jsonPath: '.spec.color' }],
      subresources: { scale: { specReplicasPath: '.spec.replicas' } },
      schema: {
        openAPIV3Schema: {
          description: 'Keeps things.',
          'x-kubernetes-validations': [{ rule: "self.metadata.name != 'no'", message: 'not this name' }],
        },
      },
    });
  });
});

const EITHER: JSONSchemaProps = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

const union = z.discriminatedUnion('type', [
  z.object({ type: z.literal('git'), url: z.url(), depth: z.int().optional() }),
  z.object({ type: z.literal('inline'), data: z.record(z.string(), z.string()) }),
]);

describe('a field', () => {
  test.each<[string, ResourceSchema, JSONSchemaProps]>([
    ['text', z.string().min(1).max(9).regex(/^a+$/), { type: 'string', minLength: 1, maxLength: 9, pattern: '^a+$' }],
    ['text with flags', z.string().regex(/^a$/i), { type: 'string', pattern: '(?i)^a$' }],
    ['two patterns', z.string().regex(/a/).regex(/b/), { type: 'string', allOf: [{ pattern: 'a' }, { pattern: 'b' }] }],
    ['an integer', z.int(), { type: 'integer' }],
    ['int32', z.int32(), { type: 'integer', format: 'int32' }],
    ['a bound', z.number().gt(0).lte(5), { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 5 }],
    ['a multiple', z.int().multipleOf(5), { type: 'integer', multipleOf: 5 }],
    ['a choice', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a literal', z.literal('a'), { type: 'string', enum: ['a'] }],
    ['a union of literals', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['nullable', z.string().nullable(), { type: 'string', nullable: true }],
    [
      'a nullable object',
      z.object({ a: z.int() }).nullable().describe('it'),
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], nullable: true, description: 'it' },
    ],
    ['a default', z.string().default('x'), { type: 'string', default: 'x' }],
    ['a time', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['an address', z.ipv4(), { type: 'string', format: 'ipv4' }],
    ['an email', z.email(), { type: 'string', format: 'email' }],
    ['bytes', z.base64(), { type: 'string', format: 'byte' }],
    ['a url', z.url(), { type: 'string', format: 'uri' }],
    ['anything', z.unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a map', z.record(z.string(), z.int()), { type: 'object', additionalProperties: { type: 'integer' } }],
    [
      'a map of few keys',
      z.partialRecord(z.enum(['a', 'b']), z.int()),
      { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
    ],
    [
      'a strict object',
      z.strictObject({ a: z.int().optional() }),
      { type: 'object', properties: { a: { type: 'integer' } } },
    ],
    ['a loose object', z.looseObject({}), { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'an intersection',
      z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
      { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a', 'b'] },
    ],
    [
      'a list',
      z.array(z.string()).min(1).max(3),
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    ],
    [
      'a set',
      listSet(z.array(z.string())),
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ],
    [
      'an atomic list',
      atomic(z.array(z.string())),
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
    ],
    [
      'an atomic map',
      atomic(z.record(z.string(), z.string())),
      { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    ],
    ['int or string', intOrString(), { ...EITHER }],
    ['int or string by its mark', z.any().meta({ 'x-kubernetes-int-or-string': true }), { ...EITHER }],
    [
      'int or string with bounds',
      z.union([z.int().min(1), z.string().regex(/%$/)]),
      {
        ...EITHER,
        minimum: 1,
        pattern: '%$',
      },
    ],
    [
      'texts of two kinds',
      z.union([z.string().max(2), z.string().regex(/^x/)]),
      { type: 'string', anyOf: [{ maxLength: 2 }, { pattern: '^x' }] },
    ],
    [
      'a tagged union',
      union,
      {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['git', 'inline'] },
          url: { type: 'string', format: 'uri' },
          depth: { type: 'integer' },
          data: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['type'],
        oneOf: [
          { properties: { type: { enum: ['git'] } }, required: ['url'] },
          { properties: { type: { enum: ['inline'] } }, required: ['data'] },
        ],
      },
    ],
    [
      'a rule',
      rule(z.object({ a: z.int(), b: z.int() }), { rule: 'self.a <= self.b', message: 'a is more than b' }),
      {
        type: 'object',
        properties: { a: { type: 'integer' }, b: { type: 'integer' } },
        required: ['a', 'b'],
        'x-kubernetes-validations': [{ rule: 'self.a <= self.b', message: 'a is more than b' }],
      },
    ],
    [
      'unknown fields',
      preserveUnknown(z.object({ a: z.int().optional() })),
      { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-preserve-unknown-fields': true },
    ],
  ])('can be %s', (_what, schema, expected) => {
    expect(written(schema)).toEqual(expected);
  });

  test('can be a list of what has an id, used twice', () => {
    const part = z.object({ name: z.string(), port: intOrString().optional() }).meta({ id: 'Part' });
    const expected = {
      type: 'object',
      properties: { name: { type: 'string' }, port: EITHER },
      required: ['name'],
    };
    expect(written(z.object({ one: part, many: listMap(z.array(part), ['name']) })).properties).toEqual({
      one: expected,
      many: { type: 'array', items: expected, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    });
  });

  test('can be a quantity or an object of another kind', () => {
    expect(written(quantity())).toMatchObject({ 'x-kubernetes-int-or-string': true, pattern: expect.any(String) });
    expect(written(embeddedResource())).toMatchObject({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    });
  });

  test('can be what is common to the members of a union, and the union', () => {
    expect(written(z.object({ name: z.string() }).and(union))).toMatchObject({
      properties: { name: { type: 'string' }, url: { type: 'string' }, type: { enum: ['git', 'inline'] } },
      required: ['name', 'type'],
      oneOf: [{ required: ['url'] }, { required: ['data'] }],
    });
  });

  test('can be a union of unions', () => {
    const inner = z.discriminatedUnion('size', [
      z.object({ kind: z.literal('box'), size: z.literal('s') }),
      z.object({ kind: z.literal('box'), size: z.literal('l'), handles: z.int() }),
    ]);
    const outer = z.union([inner, z.object({ kind: z.literal('bag'), color: z.string() })]);
    const { anyOf } = written(outer);
    expect(anyOf![0]).toMatchObject({ oneOf: [{}, { required: ['handles'] }] });
  });

  test('keeps the rules it had when it gets another', () => {
    const twice = rule(rule(z.string(), { rule: "self != 'a'" }), { rule: "self != 'b'" });
    expect(written(twice)['x-kubernetes-validations']).toHaveLength(2);
  });

  test('may come from any library that speaks Standard JSON Schema', () => {
    const other: ResourceSchema<{ size: number }> = {
      '~standard': {
        version: 1,
        vendor: 'mine',
        jsonSchema: {
          input: () => ({
            type: 'object',
            properties: { size: { $ref: '#/$defs/size' } },
            required: ['size'],
            $defs: { size: { type: ['integer', 'null'], exclusiveMinimum: 0 } },
          }),
        },
      },
    };
    const Other = defineResource({ group: 'g.test', version: 'v1', kind: 'Other', spec: other });
    expectTypeOf<typeof Other.Type.spec>().toEqualTypeOf<{ size: number }>();
    const { spec } = Other.definition.spec.versions[0]!.schema!.openAPIV3Schema!.properties!;
    expect(spec).toEqual({
      type: 'object',
      properties: { size: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true } },
      required: ['size'],
    });
  });
});

interface Tree {
  kids: Tree[];
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ kids: z.array(tree) }));

describe('what Kubernetes would not take is told with its path', () => {
  test.each<[string, z.ZodType, string, RegExp]>([
    ['a transform', z.string().transform(Number), 'spec.field', /transform/],
    ['a refinement', z.string().refine(() => true), 'spec.field', /rule\(\)/],
    ['trimming', z.string().trim(), 'spec.field', /trimming/],
    ['a Date', z.object({ at: z.date().optional() }), 'spec.field.at', /z\.iso\.datetime/],
    ['a bigint', z.array(z.bigint()), 'spec.field[]', /bigint/],
    ['a Set', z.record(z.string(), z.set(z.string())), 'spec.field{}', /listSet/],
    ['a tuple', z.tuple([z.string()]), 'spec.field', /tuples/],
    ['a mixed union', z.union([z.string(), z.boolean()]), 'spec.field', /a union of string and boolean/],
    ['mixed literals', z.literal(['a', 1]), 'spec.field', /several types/],
    ['null alone', z.null(), 'spec.field', /null alone/],
    ['a choice with null', z.enum(['a']).nullable(), 'spec.field', /use optional/],
    ['itself', tree, 'spec.field.kids[]', /contains itself/],
    ['fields and keys', z.object({ a: z.int() }).catchall(z.string()), 'spec.field', /not both/],
    ['checked keys', z.record(z.string().regex(/a/), z.int()), 'spec.field', /keys cannot be checked for pattern/],
    ['lookahead', z.string().regex(/^(?!a)/), 'spec.field.pattern', /regular expression/],
    ['a default that does not fit', z.string().max(1).default('long'), 'spec.field.default', /long/],
    [
      'a rule that cannot be read',
      rule(z.string(), { rule: 'self.' }),
      'spec.field.x-kubernetes-validations[0].rule',
      /./,
    ],
    [
      'a key that is optional',
      listMap(z.array(z.object({ a: z.string().optional() })), ['a']),
      'spec.field[].a.default',
      /required/,
    ],
    [
      'a default in a union',
      z.discriminatedUnion('t', [
        z.object({ t: z.literal('a'), x: z.int().default(1) }),
        z.object({ t: z.literal('b') }),
      ]),
      'spec.field.x',
      /given to all members/,
    ],
  ])('%s', (_what, field, path, message) => {
    const spec = z.object({ field });
    const found = problems(() => defineResource({ group: 'g.test', version: 'v1', kind: 'Thing', spec }));
    expect(found).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test.each<[string, Partial<OneVersion<ResourceSchema, ResourceSchema>>, string]>([
    ['a group that is no domain', { group: 'Group' }, 'spec.group'],
    ['a kind that is no name', { kind: 'my-thing!' }, 'spec.names.kind'],
    ['a protected group', { group: 'x.k8s.io' }, 'metadata.annotations[api-approved.kubernetes.io]'],
    ['a column of nothing', { columns: [{ name: 'A', type: 'string', jsonPath: 'spec' }] }, 'columns[0].JSONPath'],
    ['a selectable field that is not there', { selectableFields: ['.spec.nope'] }, 'selectableFields[0].jsonPath'],
  ])('%s', (_what, options, path) => {
    const all = { group: 'g.test', version: 'v1', kind: 'Thing', spec: z.object({ a: z.string() }), ...options };
    const found = problems(() => defineResource(all as never));
    expect(found.map((problem) => problem.path)).toContain(path);
  });

  test('all problems are told at once', () => {
    const spec = z.object({ a: z.date(), b: z.bigint() });
    expect(() => defineResource({ group: 'g.test', version: 'v1', kind: 'Thing', spec })).toThrow(
      /Cannot define Thing\.g\.test: \n {2}spec\.a: .*\n {2}spec\.b: /,
    );
  });
});

const Versioned = defineResource({
  group: 'g.test',
  kind: 'Shelf',
  versions: {
    v1: { spec: z.object({ width: z.int(), height: z.int() }), status: z.object({ full: z.boolean().optional() }) },
    v1beta1: { spec: z.object({ size: z.string() }), deprecated: true },
    v1alpha1: { spec: z.object({ width: z.int(), height: z.int() }), served: false },
  },
  storage: 'v1',
  conversions: {
    v1beta1: {
      toHub: ({ spec, metadata }) => {
        const [width, height] = spec.size.split('x').map(Number);
        return {
          spec: { width: width ?? 0, height: height ?? 0 },
          metadata: { labels: { ...metadata.labels, was: 'beta' } },
        };
      },
      fromHub: ({ spec }) => ({ spec: { size: `${spec.width}x${spec.height}` } }),
    },
  },
});

describe('several versions', () => {
  test('make one definition, and a descriptor each', () => {
    expect(Versioned.apiVersion).toBe('g.test/v1');
    expect(Versioned.versions.v1beta1.apiVersion).toBe('g.test/v1beta1');
    expect(Versioned.definition.spec.versions.map(({ name, storage, served }) => [name, storage, served])).toEqual([
      ['v1', true, true],
      ['v1beta1', false, true],
      ['v1alpha1', false, false],
    ]);
    expect(Versioned.definition.spec.conversion!.strategy).toBe('Webhook');
    expectTypeOf<typeof Versioned.Type.spec>().toEqualTypeOf<{ width: number; height: number }>();
    expectTypeOf<typeof Versioned.versions.v1beta1.Type.spec>().toEqualTypeOf<{ size: string }>();
  });

  const metadata = { name: 'a', uid: 'u', labels: { x: 'y' } };

  test('are converted through the hub', () => {
    const old = { apiVersion: 'g.test/v1beta1', kind: 'Shelf', metadata, spec: { size: '2x3' } };
    const hub = Versioned.conversion!.convert(old, 'g.test/v1');
    expect(hub).toEqual({
      apiVersion: 'g.test/v1',
      kind: 'Shelf',
      metadata: { ...metadata, labels: { x: 'y', was: 'beta' } },
      spec: { width: 2, height: 3 },
    });
    const alpha = Versioned.conversion!.convert(old, 'g.test/v1alpha1');
    expect(alpha).toEqual({ ...hub, apiVersion: 'g.test/v1alpha1' });
    expect(Versioned.conversion!.convert(alpha, 'g.test/v1beta1')).toMatchObject({ spec: { size: '2x3' } });
  });

  test('keep a status that a conversion does not return, where both versions have one', () => {
    const spec = z.object({ a: z.int() });
    const status = z.object({ ready: z.boolean().optional() });
    const Kept = defineResource({
      group: 'g.test',
      kind: 'Shelf',
      versions: {
        v1: { spec, status },
        v2: { spec: z.object({ b: z.int() }), status },
        v3: { spec: z.object({ c: z.int() }) },
      },
      storage: 'v1',
      conversions: {
        v2: {
          toHub: (object) => ({ spec: { a: object.spec.b }, status: { ready: false } }),
          fromHub: (object) => ({ spec: { b: object.spec.a } }),
        },
        v3: {
          toHub: (object) => ({ spec: { a: object.spec.c } }),
          fromHub: (object) => ({ spec: { c: object.spec.a } }),
        },
      },
    });
    const convert = (object: object, to: string) =>
      Kept.conversion!.convert({ kind: 'Shelf', metadata, ...object } as never, `g.test/${to}`);
    const stored = { apiVersion: 'g.test/v1', spec: { a: 1 }, status: { ready: true } };
    expect(convert(stored, 'v2')).toMatchObject({ spec: { b: 1 }, status: { ready: true } });
    expect(convert(convert(stored, 'v2'), 'v1')).toMatchObject({ spec: { a: 1 }, status: { ready: false } });
    expect(convert(stored, 'v3')).not.toHaveProperty('status');
  });

  test('that do not exist are an error', () => {
    const object = { apiVersion: 'g.test/v1', kind: 'Shelf', metadata };
    expect(() => Versioned.conversion!.convert(object, 'g.test/v9')).toThrow(/no such version/);
  });

  const two = { v9: { spec: z.object({ b: z.int() }) }, v2: { spec: z.object({ a: z.int() }) } };
  const spoke = { toHub: () => ({ spec: {} }), fromHub: () => ({ spec: {} }) };
  test.each<[string, object, string]>([
    ['a stored version that is none of them', { storage: 'v4' }, 'storage v4 is not one of v9, v2'],
    ['no stored version', {}, 'storage undefined is not one of v9, v2'],
    [
      'conversions of a version that is none of them',
      { storage: 'v2', conversions: { v1: spoke } },
      'conversions of v1: it is not one of v9, v2',
    ],
    [
      'conversions of the stored version',
      { storage: 'v2', conversions: { v9: spoke, v2: spoke } },
      'conversions of v2: it is the stored version, which the others are converted to and from',
    ],
    [
      'a version that nothing converts',
      { storage: 'v2', conversions: {} },
      'v9 has other fields than v2, and no conversions',
    ],
  ])('refuse %s', (_what, options, message) => {
    const define = () => defineResource({ group: 'g.test', kind: 'Shelf', versions: two, ...options } as never);
    expect(problems(define).map((problem) => problem.message)).toEqual([message]);
  });

  test('say in which of them a problem is', () => {
    const found = problems(() =>
      defineResource({
        group: 'g.test',
        kind: 'Shelf',
        versions: { v1: { spec: z.object({ a: z.int() }) }, v2: { spec: z.object({ a: z.date() }) } },
        storage: 'v1',
        conversion: { strategy: 'None' },
      }),
    );
    expect(found).toEqual([{ path: 'v2.spec.a', message: expect.any(String) }]);
  });
});

test('words that are given as they are stand in the definition as they are', () => {
  const fields = z.object({ a: z.string().optional(), b: z.int() });
  const Either = defineResource({
    group: 'g.test',
    version: 'v1',
    kind: 'Either',
    spec: exactly(fields, {
      type: 'object',
      maxProperties: 1,
      oneOf: [{ required: ['a'] }, { not: { required: ['a'] } }],
    }),
    schema: { required: ['metadata', 'spec'], properties: { kind: { type: 'string', description: 'what it is' } } },
    subresources: { status: {} },
    listKind: 'Eithers',
  });
  const { spec } = Either.definition;
  expect(spec.names.listKind).toBe('Eithers');
  expect(spec.versions[0]!.subresources).toEqual({ status: {} });
  expect(spec.versions[0]!.schema!.openAPIV3Schema).toEqual({
    type: 'object',
    required: ['metadata', 'spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string', description: 'what it is' },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        maxProperties: 1,
        oneOf: [{ required: ['a'] }, { not: { required: ['a'] } }],
        properties: { a: { type: 'string' }, b: { type: 'integer' } },
        required: ['b'],
      },
    },
  });
});
