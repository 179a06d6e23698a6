import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { describe, expect, test } from 'vitest';
import { readConverted } from './conversion-response.ts';

const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
const original: KubernetesObject = {
  apiVersion: 'g/v1',
  kind: 'Thing',
  metadata: { name: 'one', namespace: 'ns', uid: 'u1', labels: { a: 'b' }, finalizers: ['g/f'], resourceVersion: '7' },
};
const question = { review, uid: 'q1', apiVersion: 'g/v2', originals: [original] };

function answer(change: (object: JsonObject) => JsonValue): ReturnType<typeof readConverted> {
  const converted = { apiVersion: 'g/v2', kind: 'Thing', metadata: { ...original.metadata } } as unknown as JsonObject;
  const response = { uid: 'q1', result: { status: 'Success' }, convertedObjects: [change(converted)] };
  return readConverted({ ...review, response }, question);
}

const meta =
  (change: object) =>
  (object: JsonObject): JsonValue => ({
    ...object,
    metadata: { ...(object.metadata as JsonObject), ...change },
  });

test('labels and annotations may change, nothing else of the metadata', () => {
  expect(answer(meta({ labels: { x: 'y' }, finalizers: [], generation: 9, annotations: { c: 'd' } }))).toMatchObject({
    objects: [{ metadata: { ...original.metadata, labels: { x: 'y' }, annotations: { c: 'd' } } }],
  });
  for (const labels of [null, {}]) {
    expect(answer(meta({ labels }))).toEqual({
      objects: [expect.objectContaining({ metadata: expect.not.objectContaining({ labels: expect.anything() }) })],
    });
  }
});

test.each<[string, (object: JsonObject) => JsonValue, string]>([
  ['name', meta({ name: 'two' }), 'returned invalid object: must have the same name: one != two'],
  ['namespace', meta({ namespace: '' }), 'returned invalid object: must have the same namespace: ns != '],
  ['uid', meta({ uid: 'u2' }), 'returned invalid object: must have the same UID: u1 != u2'],
  [
    'kind',
    (object) => ({ ...object, kind: 'X' }),
    'returned invalid object at index 0: invalid kind (expected Thing, received X)',
  ],
  [
    'version',
    (object) => ({ ...object, apiVersion: 'g/v1' }),
    'returned invalid object at index 0: invalid groupVersion (expected g/v2, received g/v1)',
  ],
  [
    'number as label',
    meta({ labels: { a: 1 } }),
    'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
  ],
  [
    'list of labels',
    meta({ labels: [] }),
    'returned invalid metadata: invalid metadata.labels of type []interface {} in converted object',
  ],
])('another %s is refused', (_what, change, problem) => {
  expect(answer(change)).toEqual({ problem });
});

test.each<[string, JsonObject, string]>([
  ['no response', { ...review }, 'failed: no response provided'],
  ['another uid', { ...review, response: { uid: 'x' } }, 'failed: expected response.uid="q1", got "x"'],
  ['no success', { ...review, response: { uid: 'q1' } }, "failed: response.result.status was '', not 'Success'"],
  [
    'no kind',
    { response: {} },
    'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
  ],
  [
    'a list as response',
    { ...review, response: [] },
    'failed: json: cannot unmarshal array into Go struct field ConversionReview.response of type v1.ConversionResponse',
  ],
  [
    'a number as uid',
    { ...review, response: { uid: 5 } },
    'failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID',
  ],
  [
    'a text as result',
    { ...review, response: { uid: 'q1', result: 'Success' } },
    'failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type v1.Status',
  ],
  ['too few', { ...review, response: { uid: 'q1', result: { status: 'Success' } } }, 'returned 0 objects, expected 1'],
])('%s is refused', (_what, given, problem) => {
  expect(readConverted(given, question)).toEqual({ problem });
});

test.each<[string, (object: JsonObject) => JsonValue, string]>([
  ['null', () => null, 'unexpected end of JSON input'],
  ['a text', () => 'x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
  ['an object whose kind is a number', () => ({ kind: 1 }), `Object 'Kind' is missing in '{"kind":1}'`],
  ['an object without a kind', () => ({ a: 1 }), `Object 'Kind' is missing in '{"a":1}'`],
])('of %s nothing is said but what it is', (_what, change, unreadable) => {
  expect(answer(change)).toEqual({ unreadable });
});

test('a review of the other version cannot be converted', () => {
  const other = { ...review, apiVersion: 'apiextensions.k8s.io/v1beta1' };
  expect(readConverted(other, question)).toEqual({
    problem: 'failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
  });
});

describe('an answer to an older review', () => {
  const old = { apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'ConversionReview' };
  const response = {
    convertedObjects: [{ ...question.originals[0]!, apiVersion: question.apiVersion } as never],
    result: { status: 'Success' },
  };
  const asked = { ...question, review: old };

  test.each<[string, JsonObject]>([
    ['neither version nor kind', {}],
    ['no kind', { apiVersion: old.apiVersion }],
    ['no version', { kind: old.kind }],
    ['empty version and kind', { apiVersion: '', kind: '' }],
  ])('may have %s, and no uid', (_what, said) => {
    expect(readConverted(structuredClone({ ...said, response }), asked)).toHaveProperty('objects');
  });

  test('is refused in another version', () => {
    expect(readConverted({ ...old, apiVersion: 'apiextensions.k8s.io/v1', response }, asked)).toEqual({
      problem: 'failed: converting (v1.ConversionReview) to (v1beta1.ConversionReview): unknown conversion',
    });
  });
});
