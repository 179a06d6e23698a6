import { threadTimer } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import { describeFieldError, MAX_FIELD_ERRORS } from '../errors/field-error.ts';
import { FieldPath } from '../errors/field-path.ts';
import type { ObjectMeta, OwnerReference } from '../meta/object-meta.ts';
import { validateConditions } from './conditions.ts';
import { dns1123SubdomainName } from './name-rules.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

function check(metadata: ObjectMeta, expected: readonly (string | RegExp)[]) {
  const errors = validateObjectMeta(
    { name: 'one', namespace: 'default', ...metadata },
    { scope: 'Namespaced', nameRule: dns1123SubdomainName, standardFinalizers: true },
  ).map(describeFieldError);
  expect(errors).toHaveLength(expected.length);
  for (const [index, text] of expected.entries()) expect(errors[index]).toMatch(text);
}

describe('validateObjectMeta', () => {
  test('accepts a complete object', () =>
    check(
      {
        labels: { 'example.com/a': 'b' },
        annotations: { 'Example.com/A': 'anything\n' },
        finalizers: ['example.com/f', 'orphan'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u', controller: true }],
        managedFields: [{ manager: 'me', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
      },
      [],
    ));

  test('wants a name', () => check({ name: '' }, ['metadata.name: Required value: name or generateName is required']));

  test('names both fields when a generated name is wrong', () =>
    check({ generateName: 'AB-', name: 'AB-x1' }, [
      /^metadata.generateName: Invalid value: "AB-": a low/,
      /^metadata.name/,
    ]));

  test('checks the namespace', () => {
    check({ namespace: '' }, ['metadata.namespace: Required value']);
    check({ namespace: 'a.b' }, ['metadata.namespace: Invalid value: "a.b": must not contain dots']);
  });

  test('refuses a namespace on a kind of the cluster', () => {
    const errors = validateObjectMeta(
      { name: 'a', namespace: 'b' },
      { scope: 'Cluster', nameRule: dns1123SubdomainName },
    );
    expect(errors.map(describeFieldError)).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });

  test('shows the key for a bad key and the value for a bad value', () =>
    check({ labels: { 'a b': 'c d' } }, [
      /^metadata.labels: Invalid value: "a b": name part must/,
      /^metadata.labels: Invalid value: "c d": a valid label must/,
    ]));

  test('treats __proto__ as a name like any other', () =>
    check({ labels: JSON.parse('{"__proto__":"x"}') }, [
      /^metadata.labels: Invalid value: "__proto__": name part must/,
    ]));

  test('limits annotations together', () => {
    check({ annotations: { a: 'x'.repeat(262143) } }, []);
    check({ annotations: { a: 'x'.repeat(262144) } }, [
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });

  test('checks finalizers', () => {
    check({ finalizers: ['mine'] }, [
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    check({ finalizers: ['orphan', 'foregroundDeletion'] }, [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
    check({ finalizers: ['a b/c'] }, [/^metadata.finalizers: Invalid value: "a b\/c": prefix part a lowercase/]);
  });

  test('wants owner references complete', () =>
    check({ ownerReferences: [{ apiVersion: 'a/b/c', kind: '', name: '', uid: '' }] }, [
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ]));

  test('refuses an Event as owner', () =>
    check({ ownerReferences: [{ uid: 'u', apiVersion: 'v1', kind: 'Event', name: 'top' }] }, [
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"top","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ]));

  test('allows one controller', () => {
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: name, controller: true });
    check({ ownerReferences: [owner('x'), owner('y')] }, [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"x","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"y","uid":"y","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/x and ConfigMap/y',
    ]);
  });

  test.each<[string, ObjectMeta]>([
    [
      'controllers',
      {
        ownerReferences: Array.from({ length: 8_000 }, (_, i) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: 'x',
          uid: `u${i}`,
          controller: true,
        })),
      },
    ],
    ['owners', { ownerReferences: Array.from({ length: 80_000 }, () => ({}) as OwnerReference) }],
    ['finalizers', { finalizers: Array.from({ length: 240_000 }, (_, i) => `f${i}`) }],
    ['labels', { labels: Object.fromEntries(Array.from({ length: 120_000 }, (_, i) => [`-${i}`, '-'])) }],
    ['annotations', { annotations: Object.fromEntries(Array.from({ length: 120_000 }, (_, i) => [`-${i}`, ''])) }],
  ])('says of many %s no more than anybody reads', (_name, metadata) => {
    const computedMs = threadTimer();
    const errors = validateObjectMeta(
      { name: 'one', namespace: 'default', ...metadata },
      { scope: 'Namespaced', nameRule: dns1123SubdomainName, standardFinalizers: true },
    );
    expect(computedMs()).toBeLessThan(1_000);
    expect(errors).not.toHaveLength(0);
    expect(errors.length).toBeLessThanOrEqual(MAX_FIELD_ERRORS);
    expect(errors.reduce((sum, error) => sum + error.body.length, 0)).toBeLessThan(3 * 1024 * 1024);
  });

  test('checks managed fields', () =>
    check(
      {
        managedFields: [
          { manager: 'a\x07ü\n', operation: 'Other' as 'Apply' },
          { manager: 'x'.repeat(129), operation: 'Update' },
        ],
      },
      [
        'metadata.managedFields[0].operation: Invalid value: "Other": must be `Apply` or `Update`',
        'metadata.managedFields[0].manager: Invalid value: "a\\aü\\n": invalid character U+0007 (at position 1)',
        'metadata.managedFields[0].manager: Invalid value: "a\\aü\\n": invalid character U+000A (at position 4)',
        'metadata.managedFields[1].manager: Too long: may not be more than 128 bytes',
      ],
    ));
});

describe('validateObjectMetaUpdate', () => {
  const previous: ObjectMeta = {
    name: 'one',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const checkUpdate = (next: ObjectMeta, expected: string[], before = previous) =>
    expect(validateObjectMetaUpdate({ ...before, ...next }, before).map(describeFieldError)).toEqual(expected);

  test('accepts what did not change', () => checkUpdate({ labels: { a: 'b' } }, []));

  test('keeps what identifies the object', () =>
    checkUpdate({ name: 'two', namespace: 'other', uid: 'v' }, [
      'metadata.name: Invalid value: "two": field is immutable',
      'metadata.namespace: Invalid value: "other": field is immutable',
      'metadata.uid: Invalid value: "v": field is immutable',
    ]));

  test('keeps times and the grace period', () =>
    checkUpdate({ creationTimestamp: null, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 5 }, [
      'metadata.creationTimestamp: Invalid value: null: field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    ]));

  test('wants the version that was read and a generation that grows', () =>
    checkUpdate({ resourceVersion: '', generation: 1 }, [
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
    ]));

  test('knows standard finalizers where a kind asks for them', () => {
    const next = { ...previous, finalizers: ['mine'] };
    expect(validateObjectMetaUpdate(next, previous)).toEqual([]);
    expect(validateObjectMetaUpdate(next, previous, { standardFinalizers: true }).map(describeFieldError)).toEqual([
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  test('takes no new finalizers once the object is being deleted', () => {
    const deleting = { ...previous, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['example.com/a'] };
    checkUpdate({ finalizers: [] }, [], deleting);
    checkUpdate(
      { finalizers: ['example.com/z', 'example.com/a', 'example.com/b'] },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/b", "example.com/z"}',
      ],
      deleting,
    );
  });
});

test('validateConditions checks each condition and finds repeated types', () => {
  const good = { type: 'Ready', status: 'True', reason: 'AllFine', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const errors = validateConditions(
    [good, good, { type: 'a b', status: 'Maybe', observedGeneration: -1 }],
    FieldPath.of('status', 'conditions'),
  ).map(describeFieldError);

  expect(errors).toEqual([
    'status.conditions[1].type: Duplicate value: "Ready"',
    expect.stringMatching(/^status.conditions\[2\].type: Invalid value: "a b": name part must/),
    'status.conditions[2].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    'status.conditions[2].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
    'status.conditions[2].lastTransitionTime: Required value',
    'status.conditions[2].reason: Required value',
  ]);
});
