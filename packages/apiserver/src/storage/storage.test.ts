import type { Revision, StoreRecord } from '@pintle/store';
import { expect, test } from 'vitest';
import { collectionRange, nameInKey, namesInKey, objectKey } from './keys.ts';
import {
  decodeObject,
  encodeObject,
  ITEM_HEAD,
  isStoredAlike,
  objectHead,
  serveMetadata,
  serveObject,
  serveObjects,
  writeDigits,
} from './object-codec.ts';

const MAPS = { group: '', resource: 'configmaps' };

test('keys keep to their resource and namespace', () => {
  expect(objectKey(MAPS, 'default', 'a')).toBe('core/configmaps/default/a');
  expect(objectKey({ group: 'apps', resource: 'deployments' }, '', 'a')).toBe('apps/deployments/a');
  expect(collectionRange(MAPS, 'default')).toEqual({
    start: 'core/configmaps/default/',
    end: 'core/configmaps/default0',
  });
  for (const name of ['', 'a/b', '../x']) expect(() => objectKey(MAPS, 'default', name)).toThrow(RangeError);
  expect(() => collectionRange(MAPS, 'a/b')).toThrow(RangeError);
  const keys = ['a', 'a\0', 'a\x01', 'a\x02'].map((name) => objectKey(MAPS, 'default', name));
  expect(keys.join('')).not.toContain('\0');
  expect([...new Set(keys)].sort()).toEqual(keys);
});

test('names are read back from keys', () => {
  for (const name of ['a', 'a\0', '\x01\0\x01', 'ü\x02']) {
    expect(namesInKey(objectKey(MAPS, 'default', name), 'Namespaced')).toEqual({ namespace: 'default', name });
    expect(namesInKey(objectKey(MAPS, '', name), 'Cluster')).toEqual({ namespace: '', name });
    expect(objectKey(MAPS, 'default', name).endsWith(nameInKey(name))).toBe(true);
  }
});

const stored = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: 'old', labels: { __proto__x: 'y' } },
  data: { text: 'ünïcode "quoted"', big: '9007199254740993' },
};

function recordOf(object: typeof stored, revision: number): StoreRecord {
  const modRevision = revision as Revision;
  return { key: 'k', value: encodeObject(object), modRevision, createRevision: modRevision, version: 1 };
}

test('what is stored is served with the record’s own resourceVersion, parsed or not', () => {
  const record = recordOf(stored, 12345);
  const expected = { ...stored, metadata: { ...stored.metadata, resourceVersion: '12345' } };
  expect(decodeObject(record, 'ConfigMap')).toEqual(expected);
  const served = Buffer.from(serveObject(objectHead('v1', 'ConfigMap'), record)).toString();
  expect(JSON.parse(served)).toEqual(expected);
});

test('items of a list go without apiVersion and kind', () => {
  const item = JSON.parse(Buffer.from(serveObject(ITEM_HEAD, recordOf(stored, 7))).toString());
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = stored;
  expect(item).toEqual({ ...rest, metadata: { ...rest.metadata, resourceVersion: '7' } });
});

test('objects that are served together are the same as one by one, with something around them', () => {
  const records = [recordOf(stored, 7), recordOf({ ...stored, spec: { text: 'ü' } } as typeof stored, 1234)];
  const around = { before: Buffer.from('['), between: Buffer.from(' , '), behind: Buffer.from(']\n') };
  const [first, second] = records.map((record) => Buffer.from(serveObject(ITEM_HEAD, record)).toString());
  expect(Buffer.from(serveObjects(ITEM_HEAD, records, around)).toString()).toBe(`[${first} , ${second}]\n`);
});

test.each([
  ['v1', ''],
  ['networking.gateway.example.com/v1alpha1', 'a41f03c2'],
])('nothing of how %s is stored shows in what is served together', (apiVersion, shape) => {
  const records = [7, 1_234_567, 8].map((revision) => ({
    value: encodeObject({ ...stored, apiVersion }, shape),
    modRevision: revision as Revision,
  }));
  const around = { before: new Uint8Array(0), between: Buffer.from(','), behind: new Uint8Array(0) };
  const head = objectHead(apiVersion, 'ConfigMap');
  const singly = records.map((record) => Buffer.from(serveObject(head, record)).toString());
  const filled = (length: number): Uint8Array => Buffer.alloc(length, '!');
  expect(Buffer.from(serveObjects(head, records, around, filled)).toString()).toBe(singly.join());
  expect(Buffer.from(serveObjects(head, records.slice(0, 1), around, filled)).toString()).toBe(singly[0]);
});

test('what was stored in another version or by another schema is told from its first bytes', () => {
  const value = encodeObject(stored, 'a41f');
  expect(isStoredAlike(value, encodeObject({ ...stored, metadata: { name: 'other' } }, 'a41f'))).toBe(true);
  expect(isStoredAlike(value, encodeObject(stored, 'a41e'))).toBe(false);
  expect(isStoredAlike(value, encodeObject(stored))).toBe(false);
  expect(isStoredAlike(encodeObject(stored), value)).toBe(false);
  expect(isStoredAlike(value, encodeObject({ ...stored, apiVersion: 'v2' }, 'a41f'))).toBe(false);
});

test.each([
  [{ labels: { a: 'b' }, managedFields: [{ fieldsV1: { 'f:data': {} } }] }],
  [{ annotations: { text: 'ends in a quote "', more: '} \\" {', last: '\\' } }],
  [{}],
])('metadata is served alone as it is stored', (metadata) => {
  const record = recordOf({ ...stored, metadata } as typeof stored, 12);
  const head = objectHead('meta.k8s.io/v1', 'PartialObjectMetadata');
  expect(JSON.parse(Buffer.from(serveMetadata(head, record)).toString())).toEqual({
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: { resourceVersion: '12', ...metadata },
  });
});

test('integers beyond 2^53 are stored digit for digit', () => {
  const object = { ...stored, spec: { n: 9223372036854775807n } } as unknown as typeof stored;
  const record = recordOf(object, 1);
  expect(decodeObject(record, 'ConfigMap')).toMatchObject({ spec: { n: 9223372036854775807n } });
  expect(Buffer.from(serveObject(ITEM_HEAD, record)).toString()).toContain('"n":9223372036854775807');
});

test('fields of any name are stored; those without a value are not', () => {
  const object = JSON.parse('{"apiVersion":"a/v1","kind":"A","metadata":{"name":"a"},"__proto__":{"x":1},"spec":null}');
  const value = encodeObject({ ...object, metadata: { ...object.metadata, uid: undefined }, status: undefined });
  const kept = Buffer.from(serveObject(ITEM_HEAD, { value, modRevision: 10 as Revision })).toString();
  expect(kept).toBe('{"metadata":{"resourceVersion":"10","name":"a"},"__proto__":{"x":1},"spec":null}');
});

test.each([0, 9, 10, 99, 100, 12_345, 4_294_967_296, Number.MAX_SAFE_INTEGER])(
  'revision %d is written in full',
  (n) => {
    const out = Buffer.alloc(20, ' ');
    expect(writeDigits(out, 1, n)).toBe(1 + String(n).length);
    expect(out.toString().trim()).toBe(String(n));
  },
);
