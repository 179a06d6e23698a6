import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { compileTyped, type Schema } from '@pintle/machinery/schema';
import { describe, expect, test } from 'vitest';
import { sourceDigest } from './generated/types.ts';
import { gvksOf, openapiOfType, schemaOf, schemaOfType, typeNameOf, typeNames } from './index.ts';

const pod = schemaOf({ group: '', version: 'v1', kind: 'Pod' })!;
const deployment = schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' })!;

/** `at(pod, 'spec', 'containers', 'ports')`: lists and maps are stepped into. */
function at(schema: Schema, ...path: string[]): Schema {
  return path.reduce((found, name) => {
    const inner = found.items ?? (typeof found.additionalProperties === 'object' ? found.additionalProperties : found);
    return inner.properties![name]!;
  }, schema);
}

describe('Schemas', () => {
  test('lose nothing of what the API publishes', () => {
    const published = [...typeNames()].sort().map((name) => [name, openapiOfType(name)]);
    expect(createHash('sha256').update(JSON.stringify(published)).digest('hex')).toBe(sourceDigest);
  });

  test('are found by kind and by name, the same object each time', () => {
    const gvk = { group: 'apps', version: 'v1', kind: 'Deployment' };
    expect(typeNameOf(gvk)).toBe('io.k8s.api.apps.v1.Deployment');
    expect(schemaOf(gvk)).toBe(schemaOfType('io.k8s.api.apps.v1.Deployment'));
    expect(gvksOf('io.k8s.api.apps.v1.Deployment')).toEqual([gvk]);
    expect(schemaOf({ ...gvk, kind: 'Fruit' })).toBeUndefined();
    expect(schemaOfType('constructor')).toBeUndefined();
    expect(schemaOf({ ...gvk, kind: 'DeleteOptions' })).toBeDefined();
  });

  test('share what they have in common, and close their cycles', () => {
    expect(at(deployment, 'spec', 'template', 'spec').properties).toBe(at(pod, 'spec').properties);
    const props = schemaOfType('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')!;
    expect(at(props, 'not').properties).toBe(props.properties);
  });

  test('say how lists merge', () => {
    expect(at(pod, 'spec', 'containers', 'ports')).toMatchObject({
      listType: 'map',
      listMapKeys: ['containerPort', 'protocol'],
      patchMergeKey: 'containerPort',
      patchStrategy: 'merge',
    });
    expect(at(pod, 'spec', 'containers', 'args').listType).toBe('atomic');
  });

  test('keep defaults that mean something and no others', () => {
    expect(at(pod, 'spec', 'containers', 'ports', 'protocol').default).toBe('TCP');
    expect(at(pod, 'spec')).not.toHaveProperty('default');
    expect(at(pod, 'spec', 'containers', 'name')).not.toHaveProperty('default');
    expect(at(pod, 'spec', 'imagePullSecrets', 'name').default).toBe('');
  });

  test('say what Go calls a type', () => {
    expect(at(deployment, 'spec', 'replicas').goType).toBe('int32');
    expect(at(pod, 'spec', 'containers')).toMatchObject({
      goType: '[]v1.Container',
      items: { goType: 'v1.Container' },
    });
    expect(at(pod, 'spec', 'containers', 'resources', 'limits')).toMatchObject({
      goType: 'v1.ResourceList',
      additionalProperties: { goType: 'resource.Quantity' },
    });
    expect(at(pod, 'spec', 'restartPolicy').goType).toBe('v1.RestartPolicy');
  });

  test('say what becomes of zero values', () => {
    expect(at(deployment, 'spec', 'replicas').zero).toBe('keep');
    expect(at(deployment, 'spec', 'paused').zero).toBe('omit');
    expect(at(deployment, 'spec', 'strategy').zero).toBe('emit');
    expect(at(pod, 'metadata', 'creationTimestamp').zero).toBe('omit');
    expect(at(deployment, 'spec', 'selector')).toMatchObject({ zero: 'keep', nullable: true });
  });

  test('leave open what nobody can know', () => {
    expect(at(schemaOf({ group: 'apps', version: 'v1', kind: 'ControllerRevision' })!, 'data')).toMatchObject({
      preserveUnknownFields: true,
      goType: 'runtime.RawExtension',
    });
    expect(at(pod, 'spec', 'containers', 'livenessProbe', 'httpGet', 'port')).toMatchObject({ intOrString: true });
  });
});

describe('The zero rules', () => {
  const rows = JSON.parse(readFileSync(new URL('../../testdata/go-objects.json', import.meta.url), 'utf8')) as [
    string,
    JsonObject,
    string,
  ][];
  const firstOfKind = new Map(rows.map(([gvk, object]) => [gvk, object] as const).reverse());
  const zeros = [...firstOfKind].filter(([gvk]) => schemaOf(parse(gvk)) !== undefined);

  test('cover the kinds', () => expect(zeros.length).toBeGreaterThan(100));

  test.each(zeros)('give an empty %s the fields that Go gives it', (gvk, object) => {
    expect(zeroOf(schemaOf(parse(gvk))!)).toEqual(object);
  });
});

function parse(gvk: string): { group: string; version: string; kind: string } {
  const [group = '', version = '', kind = ''] = gvk.split('/');
  return { group, version, kind };
}

/** What Go prints for the zero value of a type, told by the schema alone. */
function zeroOf(schema: Schema): JsonValue {
  if (schema.goType === 'resource.Quantity') return '0';
  if (schema.intOrString) return 0;
  if (schema.properties) return zeroOfStruct(schema);
  if (schema.type === 'integer' || schema.type === 'number') return 0;
  if (schema.type === 'boolean') return false;
  return schema.type === 'string' && !schema.format ? '' : null;
}

function zeroOfStruct(schema: Schema): JsonObject {
  const object: JsonObject = {};
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    if (field.zero === 'emit') object[key] = zeroOf(field);
    if (field.zero === 'keep' && field.nullable) object[key] = null;
  }
  return object;
}

test('an empty list that is forbidden, or an empty capacity, does not look like none', () => {
  const volume = compileTyped(schemaOf({ group: '', version: 'v1', kind: 'PersistentVolume' })!);
  expect(volume.read({ spec: { capacity: {}, accessModes: [] } }).value).toMatchObject({ spec: { capacity: {} } });
  const ephemeral = compileTyped(pod).read({ spec: { ephemeralContainers: [{ name: 'd', ports: [], env: [] }] } });
  expect(ephemeral.value).toMatchObject({ spec: { ephemeralContainers: [{ ports: [] }] } });
  expect(JSON.stringify(ephemeral.value)).not.toContain('env');
  const range = compileTyped(schemaOf({ group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR' })!);
  expect(range.read({ spec: { cidrs: [] } }).value).toMatchObject({ spec: { cidrs: [] } });
});
