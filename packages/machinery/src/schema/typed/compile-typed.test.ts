import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../json/index.ts';
import type { Schema, ZeroRule } from '../schema.ts';
import { compileTyped } from './compile-typed.ts';

const as = (zero: ZeroRule, schema: Schema): Schema => ({ ...schema, zero });
const struct = (goType: string, properties: Record<string, Schema>): Schema => ({ type: 'object', goType, properties });
const list = (items: Schema): Schema => ({ type: 'array', items });
const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });

const string: Schema = { type: 'string', goType: 'string' };
const int32: Schema = { type: 'integer', format: 'int32', goType: 'int32' };
const bool: Schema = { type: 'boolean', goType: 'bool' };
const quantity: Schema = { goType: 'resource.Quantity', oneOf: [{ type: 'string' }, { type: 'number' }] };
const time: Schema = { type: 'string', format: 'date-time', goType: 'v1.Time' };

const meta = struct('v1.ObjectMeta', {
  name: as('omit', string),
  uid: as('omit', { type: 'string', goType: 'types.UID' }),
  labels: as('omit', map(string)),
  creationTimestamp: as('omit', time),
  deletionTimestamp: as('keep', time),
  generation: as('omit', { type: 'integer', format: 'int64', goType: 'int64' }),
});

const container = struct('v1.Container', {
  name: as('emit', string),
  image: as('omit', string),
  tty: as('omit', bool),
  limits: as('omit', { ...map(quantity), goType: 'v1.ResourceList' }),
  resources: as('emit', struct('v1.ResourceRequirements', { claims: as('omit', list(string)) })),
});

const thing = struct('v1.Thing', {
  apiVersion: as('omit', string),
  kind: as('omit', string),
  metadata: as('emit', meta),
  spec: as(
    'emit',
    struct('v1.ThingSpec', {
      replicas: as('keep', int32),
      paused: as('omit', bool),
      selector: { ...as('keep', struct('v1.LabelSelector', {})), nullable: true },
      containers: as('emit', list(container)),
      port: as('emit', { intOrString: true, goType: 'intstr.IntOrString' }),
      data: as('omit', map({ type: 'string', format: 'byte' })),
      template: as('keep', { type: 'object', preserveUnknownFields: true, goType: 'runtime.RawExtension' }),
      ratio: as('omit', { type: 'number', goType: 'float64' }),
      renewed: as('keep', { type: 'string', format: 'date-time', goType: 'v1.MicroTime' }),
    }),
  ),
  status: as('emit', struct('v1.ThingStatus', { phase: as('omit', { type: 'string', goType: 'v1.ThingPhase' }) })),
});

const read = (value: JsonValue) => compileTyped(thing).read(value);
const readSpec = (spec: JsonValue) => read({ spec }).value.spec;
const bareSpec = { selector: null, containers: null, port: 0 };

describe('a typed reader', () => {
  test('takes no whole number for an integer that is written as a float', () => {
    const floats = new Map([
      ['spec.replicas', '2.0'],
      ['spec.ratio', '3e0'],
    ]);
    const readFloats = (spec: JsonValue) => compileTyped(thing).read({ spec }, { floats });
    expect(() => readFloats({ replicas: 2 })).toThrow(
      'json: cannot unmarshal number 2.0 into Go struct field ThingSpec.spec.replicas of type int32',
    );
    expect(readFloats({ ratio: 3, port: 4 }).value.spec).toEqual({ ...bareSpec, ratio: 3, port: 4 });
    const port = new Map([['spec.port', '1e2']]);
    expect(() => compileTyped(thing).read({ spec: { port: 100 } }, { floats: port })).toThrow('number 1e2 into Go');
  });

  test('prints what Go prints for an object nobody has filled in', () => {
    expect(read({ kind: 'Thing' })).toEqual({
      value: { kind: 'Thing', metadata: {}, spec: bareSpec, status: {} },
      unknown: [],
      emptied: [],
    });
  });

  test('tells which lists and maps were sent empty and are left out', () => {
    const { value, emptied } = read({ spec: { containers: [{ ports: [] }], data: {}, ratio: 0 } });
    expect(value.spec).not.toHaveProperty('data');
    expect(emptied).toContainEqual({ path: ['spec', 'data'], isList: false });
    expect(emptied.every(({ path }) => path.at(-1) !== 'ratio')).toBe(true);
  });

  test('leaves out, keeps or puts in zero values by the rule of each field', () => {
    expect(readSpec({ replicas: 0, paused: false, containers: [], data: {}, ratio: 0, template: {} })).toEqual({
      ...bareSpec,
      replicas: 0,
      containers: [],
      template: {},
    });
    expect(readSpec({ replicas: null, paused: null, containers: null, port: null })).toEqual(bareSpec);
  });

  test('drops fields it does not know, by their exact names, and lists them in the order of the document', () => {
    const { value, unknown } = read({
      zzz: 1,
      metadata: { Name: 'x', labels: { anything: 'goes' } },
      spec: { selector: { x: 1 }, containers: [{ name: 'a' }, { colour: 'red' }] },
    });
    expect(unknown).toEqual(['zzz', 'metadata.Name', 'spec.selector.x', 'spec.containers[1].colour']);
    expect(value.metadata).toEqual({ labels: { anything: 'goes' } });
    expect(value.spec).toMatchObject({ selector: {}, containers: [{ name: 'a' }, { name: '' }] });
  });

  test('lists at most a hundred unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x${index}`, 1]));
    expect(read(many).unknown).toHaveLength(100);
  });

  test('gives null among items and map values its zero value', () => {
    expect(readSpec({ containers: [null] })).toMatchObject({ containers: [{ name: '', resources: {} }] });
    expect(read({ metadata: { labels: { a: null } } }).value.metadata).toEqual({ labels: { a: '' } });
    expect(readSpec({ containers: [{ limits: { cpu: null } }] })).toMatchObject({
      containers: [{ limits: { cpu: '0' } }],
    });
  });

  test('writes quantities, times and bytes in their canonical form', () => {
    const limits = { cpu: '0.5', memory: '1024Mi', pods: 5 };
    expect(readSpec({ containers: [{ limits }] })).toMatchObject({
      containers: [{ limits: { cpu: '500m', memory: '1Gi', pods: '5' } }],
    });
    expect(read({ metadata: { creationTimestamp: '2024-05-06T07:08:09.5+02:00' } }).value.metadata).toEqual({
      creationTimestamp: '2024-05-06T05:08:09Z',
    });
    expect(readSpec({ renewed: '2024-05-06T07:08:09.123456Z' })).toMatchObject({
      renewed: '2024-05-06T07:08:09.123456Z',
    });
    expect(readSpec({ data: { a: [97, null], b: [] } })).toMatchObject({ data: { a: 'YQA=', b: '' } });
    expect(readSpec({ data: { a: 'YWJ\nj', b: 'YR==' } })).toMatchObject({ data: { a: 'YWJj', b: 'YQ==' } });
  });

  test("leaves out Go's zero time", () => {
    const zero = '0001-01-01T00:00:00Z';
    expect(read({ metadata: { creationTimestamp: zero } }).value.metadata).toEqual({});
    expect(read({ metadata: { creationTimestamp: null } }).value.metadata).toEqual({});
  });

  test('changes nothing in its input and shares what stays the same', () => {
    const labels = { a: 'b' };
    const input = { metadata: { labels, zzz: 1 }, spec: { containers: [{ name: 'a' }] } };
    const before = structuredClone(input);
    const { value } = read(input);
    expect(input).toEqual(before);
    expect((value.metadata as { labels: unknown }).labels).toBe(labels);
  });

  test('treats every name as plain data', () => {
    const input = JSON.parse('{"metadata":{"labels":{"__proto__":null,"constructor":"x"}},"__proto__":{"polluted":1}}');
    const { value, unknown } = read(input);
    expect(unknown).toEqual(['__proto__']);
    expect(Object.entries((value.metadata as { labels: object }).labels)).toEqual([
      ['__proto__', ''],
      ['constructor', 'x'],
    ]);
    expect('polluted' in {}).toBe(false);
  });

  test('reads its own output as it is', () => {
    const once = read({ spec: { containers: [{ limits: { cpu: '1000m' } }], port: 'http' } }).value;
    expect(read(once).value).toBe(once);
  });
});

describe('a value that does not fit', () => {
  const field = 'json: cannot unmarshal';
  test.each<[JsonValue, string]>([
    ['x', `${field} string into Go value of type v1.Thing`],
    [{ spec: 5 }, `${field} number into Go struct field Thing.spec of type v1.ThingSpec`],
    [{ spec: { replicas: '3' } }, `${field} string into Go struct field ThingSpec.spec.replicas of type int32`],
    [{ spec: { replicas: 1.5 } }, `${field} number 1.5 into Go struct field ThingSpec.spec.replicas of type int32`],
    [
      { spec: { replicas: 3e9 } },
      `${field} number 3000000000 into Go struct field ThingSpec.spec.replicas of type int32`,
    ],
    [{ spec: { paused: 'no' } }, `${field} string into Go struct field ThingSpec.spec.paused of type bool`],
    [
      { spec: { containers: 'x' } },
      `${field} string into Go struct field ThingSpec.spec.containers of type []v1.Container`,
    ],
    [
      { spec: { containers: ['x'] } },
      `${field} string into Go struct field ThingSpec.spec.containers of type v1.Container`,
    ],
    [{ metadata: { name: true } }, `${field} bool into Go struct field ObjectMeta.metadata.name of type string`],
    [
      { metadata: { labels: { a: 1 } } },
      `${field} number into Go struct field ObjectMeta.metadata.labels of type string`,
    ],
    [
      { metadata: { labels: [] } },
      `${field} array into Go struct field ObjectMeta.metadata.labels of type map[string]string`,
    ],
    [{ metadata: { uid: 1 } }, `${field} number into Go struct field ObjectMeta.metadata.uid of type types.UID`],
    [{ status: { phase: {} } }, `${field} object into Go struct field ThingStatus.status.phase of type v1.ThingPhase`],
    [{ spec: { port: 1.5 } }, `${field} number 1.5 into Go struct field ThingSpec.spec.port of type int32`],
    [
      { metadata: { creationTimestamp: 5 } },
      `${field} number into Go struct field ObjectMeta.metadata.creationTimestamp of type string`,
    ],
    [
      { metadata: { creationTimestamp: 'now' } },
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
    [{ spec: { data: { a: '***' } } }, 'illegal base64 data at input byte 0'],
    [{ spec: { data: { a: ['x'] } } }, `${field} string into Go struct field ThingSpec.spec.data of type uint8`],
    [{ spec: { data: { a: [256] } } }, `${field} number 256 into Go struct field ThingSpec.spec.data of type uint8`],
    [
      { spec: { containers: [{ limits: { cpu: 'lots' } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('%j', (value, message) => {
    expect(() => read(value)).toThrow(expect.objectContaining({ name: 'TypedReadError', message }));
  });

  test('is named by the first mismatch, unless a type that decodes itself fails later', () => {
    expect(() => read({ metadata: { name: 1 }, spec: { replicas: 'x' } })).toThrow(/ObjectMeta.metadata.name/);
    expect(() => read({ metadata: { name: 1, creationTimestamp: 'now' } })).toThrow(/parsing time/);
  });
});

test('a type that holds itself is read to any depth', () => {
  const properties: Record<string, Schema> = {};
  const node = struct('v1.Node', properties);
  properties.next = as('keep', node);
  properties.value = as('omit', int32);
  const deep = (levels: number, leaf: JsonValue) => {
    let value = leaf;
    for (let level = 0; level < levels; level++) value = { next: value };
    return value;
  };
  expect(compileTyped(node).read(deep(900, { value: 1, zzz: 1 })).unknown).toHaveLength(1);
  expect(() => compileTyped(node).read(deep(5_000, {}))).toThrow('json: exceeded max depth');
});

test('schemas inside schemas are read too, but what they do not know goes without a word', () => {
  const properties: Record<string, Schema> = {};
  const schema = struct('v1.JSONSchemaProps', properties);
  properties.maxLength = as('keep', { type: 'integer', format: 'int64', goType: 'int64' });
  properties.properties = as('omit', { ...map(schema), goType: 'map[string]v1.JSONSchemaProps' });
  properties.items = as('keep', { preserveUnknownFields: true, goType: 'v1.JSONSchemaPropsOrArray' });
  properties.additionalProperties = as('keep', { preserveUnknownFields: true, goType: 'v1.JSONSchemaPropsOrBool' });
  const reader = compileTyped(schema);
  expect(reader.read({ items: { maxLength: 1, zzz: 1 }, additionalProperties: true, zzz: 1 })).toEqual({
    value: { items: { maxLength: 1 }, additionalProperties: true },
    unknown: ['zzz'],
    emptied: [],
  });
  for (const items of [[], true]) expect(reader.read({ items }).value).toEqual({ items: null });
  expect(() => reader.read({ additionalProperties: 'x' })).toThrow('boolean or JSON schema expected');
  expect(() => reader.read({ items: { maxLength: 'x' } })).toThrow(/cannot unmarshal string .* of type int64/);
});
