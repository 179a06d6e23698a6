import type { CustomResourceDefinition, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';

/** Numbers from 0 to 1 that are the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed + 0x9e3779b9;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return state / 2 ** 32;
  };
}

/** A definition with some hundred fields, in which every word of schemas has its place. */
export function drawDefinition(seed: number): CustomResourceDefinition {
  const next = numbersFrom(seed);
  const one = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
  const kind = `Drawn${seed}`;

  const object = (depth: number): JSONSchemaProps => {
    const properties: Record<string, JSONSchemaProps> = {};
    for (let index = 0; index < 6; index++) properties[`${one(NAMES)}${index}`] = field(depth - 1);
    const required = Object.keys(properties).filter(() => next() < 0.3);
    if (next() < 0.3) required.reverse();
    return {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      ...one(OBJECT_WORDS)(Object.keys(properties)),
    };
  };
  const field = (depth: number): JSONSchemaProps => {
    const described = next() < 0.4 ? { description: one(WORDS) } : {};
    if (depth <= 0 || next() < 0.4) return { ...structuredClone(one(SCALARS)), ...described };
    const shape = next();
    if (shape < 0.5) return { ...object(depth), ...described };
    if (shape < 0.7) return { type: 'object', additionalProperties: field(depth - 1), ...one(MAP_WORDS), ...described };
    if (shape < 0.8)
      return {
        type: 'array',
        items: keyed(),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        ...described,
      };
    return { type: 'array', items: field(depth - 1), ...one(LIST_WORDS), ...described };
  };
  const keyed = (): JSONSchemaProps => ({
    type: 'object',
    properties: { name: { type: 'string' }, value: field(1) },
    required: ['name'],
  });
  const version = (name: string, storage: boolean) => ({
    name,
    served: next() < 0.9 || storage,
    storage,
    ...(!storage && { deprecated: true, deprecationWarning: 'use another' }),
    schema: { openAPIV3Schema: root() },
    ...one(SUBRESOURCES),
    ...(next() < 0.5 && { additionalPrinterColumns: COLUMNS }),
  });
  const root = (): JSONSchemaProps => ({
    description: one(WORDS),
    type: 'object',
    properties: {
      apiVersion: { type: 'string', ...(next() < 0.5 && { description: one(WORDS) }) },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: object(4),
      status: { type: 'object', properties: { replicas: { type: 'integer' }, more: field(2) } },
      ...(next() < 0.3 && { data: { type: 'object', additionalProperties: { type: 'string' } } }),
    },
    ...(next() < 0.5 && { required: ['spec'] }),
  });
  const versions = [version('v1', true), ...(next() < 0.5 ? [version('v1beta1', false)] : [])];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `drawn${seed}s.drawn.test`, ...(next() < 0.5 && { labels: { seed: String(seed) } }) },
    spec: {
      group: 'drawn.test',
      names: { kind, plural: `drawn${seed}s`, singular: `drawn${seed}`, listKind: `${kind}List` },
      scope: one(['Namespaced', 'Cluster']),
      versions,
    },
  } as CustomResourceDefinition;
}

const NAMES = ['name', 'Size', 'my-key', 'with.dot', '$ref', 'class'];
const WORDS = ["It's said.", 'Two\nlines */ and a "quote".', '`code` and $value', '@tagged \\ text'];
const COLUMNS = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 }];
const SUBRESOURCES = [
  { subresources: { status: {} } },
  {
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  },
  {},
];

const SCALARS: readonly JSONSchemaProps[] = [
  { type: 'string' },
  { type: 'string', minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
  { type: 'string', pattern: '^/[a-z/]+$' },
  { type: 'string', pattern: '(?i)^[[:alpha:]]+$' },
  { type: 'string', pattern: '^[a-z/]+\\.\\d+$', default: 'a.1' },
  { type: 'string', enum: ['a', "b's", ''] },
  { type: 'string', enum: ['2', '1'], default: '1' },
  { type: 'string', enum: ['a'], nullable: true },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'duration', default: '5m' },
  { type: 'string', format: 'byte', maxLength: 99 },
  { type: 'string', format: 'uri', pattern: '^https:' },
  { type: 'string', format: 'email', nullable: true },
  { type: 'integer' },
  { type: 'integer', format: 'int32', minimum: 0, maximum: 65_535, default: 80 },
  { type: 'integer', format: 'int64', minimum: 1, exclusiveMinimum: true },
  { type: 'integer', enum: [1, 2, 3] },
  { type: 'integer', maximum: Number.MAX_SAFE_INTEGER },
  { type: 'number', format: 'double', multipleOf: 0.5 },
  { type: 'number', minimum: 0, maximum: 1, exclusiveMaximum: true },
  { type: 'boolean', default: false },
  { type: 'boolean', nullable: true },
  { 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true },
  { type: 'object', additionalProperties: true as never },
  { 'x-kubernetes-int-or-string': true },
  { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  { anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^[0-9]+(m|Ki)?$', 'x-kubernetes-int-or-string': true },
  { type: 'string', allOf: [{ maxLength: 9 }, { pattern: '^a' }], not: { enum: ['b'] } },
  {
    type: 'string',
    title: 'A title',
    'x-kubernetes-validations': [{ rule: "self != 'x'", message: "it's x" }],
    maxLength: 9,
  },
];

const OBJECT_WORDS: readonly ((names: readonly string[]) => JSONSchemaProps)[] = [
  () => ({}),
  () => ({}),
  () => ({ 'x-kubernetes-map-type': 'atomic' }),
  () => ({ 'x-kubernetes-preserve-unknown-fields': true }),
  () => ({ maxProperties: 9 }),
  () => ({ nullable: true }),
  ([a = '', b = '']) => ({ oneOf: [{ required: [a] }, { required: [b] }] }),
  ([a = '']) => ({ not: { required: [a] } }),
];
const MAP_WORDS: readonly JSONSchemaProps[] = [
  {},
  { maxProperties: 3 },
  { 'x-kubernetes-map-type': 'atomic' },
  { default: {} },
];
const LIST_WORDS: readonly JSONSchemaProps[] = [
  {},
  { minItems: 1, maxItems: 9 },
  { 'x-kubernetes-list-type': 'atomic' },
  { default: [] },
  { nullable: true },
];
