import type { KubernetesObject } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { expect, test } from 'vitest';
import {
  childRefOf,
  OWNER_ANNOTATION,
  OWNER_UID_LABEL,
  ownerReferenceMode,
  ownersOf,
  ownerUidsOf,
  withOwner,
} from './ownership.ts';

const Box = resourceType({ group: 'g.example', version: 'v1', kind: 'Box', plural: 'boxes', scope: 'Namespaced' });
const Crate = resourceType({ group: 'g.example', version: 'v1', kind: 'Crate', plural: 'crates', scope: 'Cluster' });
const object = (metadata: KubernetesObject['metadata']): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata,
});
const box = { type: Box, object: object({ namespace: 'ns', name: 'b', uid: 'ub' }) };
const crate = { type: Crate, object: object({ name: 'c', uid: 'uc' }) };

test.each([
  ['a box, in its namespace', box, Box, 'ns', 'controller'],
  ['a box, elsewhere', box, Box, 'other', 'label'],
  ['a box, outside of namespaces', box, Crate, undefined, 'label'],
  ['a crate, in a namespace', crate, Box, 'ns', 'controller'],
  ['a crate, outside of namespaces', crate, Crate, undefined, 'controller'],
] as const)('the tie of %s', (_what, owner, type, namespace, tie) => {
  expect(ownerReferenceMode(owner, { type, namespace, name: 'x' })).toBe(tie);
});

test('a child is where it says, or where its owner is', () => {
  expect(childRefOf(box, Box, { name: 'x' }).namespace).toBe('ns');
  expect(childRefOf(box, Box, { name: 'x', namespace: 'other' }).namespace).toBe('other');
  expect(childRefOf(box, Crate, { name: 'x', namespace: 'other' }).namespace).toBeUndefined();
  expect(() => childRefOf(crate, Box, { name: 'x' })).toThrow('Cannot apply Box x: it has no namespace');
});

test('a labelled child leads back to its owner, and so does a controlled one', () => {
  const labelled = withOwner(
    box,
    childRefOf(box, Box, { name: 'x', namespace: 'other' }),
    { metadata: { name: 'x' } },
    'label',
  );
  const controlled = withOwner(box, childRefOf(box, Box, { name: 'x' }), { metadata: { name: 'x' } }, 'controller');
  for (const child of [labelled, controlled] as unknown as KubernetesObject[]) {
    expect([...ownersOf(child, Box)]).toEqual([{ namespace: 'ns', name: 'b' }]);
    expect([...ownersOf(child, Crate)]).toEqual([]);
    expect(ownerUidsOf(child)).toEqual(['ub']);
  }
});

test('a plain owner is told only where every owner is asked for', () => {
  const child = withOwner(
    box,
    childRefOf(box, Box, { name: 'x' }),
    { metadata: { name: 'x' } },
    'plain',
  ) as unknown as KubernetesObject;
  expect([...ownersOf(child, Box)]).toEqual([]);
  expect([...ownersOf(child, Box, { isEvery: true })]).toEqual([{ namespace: 'ns', name: 'b' }]);
});

test('what is not ours is not misread', () => {
  const of = (labels: Record<string, string>, annotations: Record<string, string>) => [
    ...ownersOf(object({ labels, annotations }), Box),
  ];
  expect(of({}, { [OWNER_ANNOTATION]: 'Box.g.example/ns/b' })).toEqual([]);
  expect(of({ [OWNER_UID_LABEL]: 'u' }, {})).toEqual([]);
  expect(of({ [OWNER_UID_LABEL]: 'u' }, { [OWNER_ANNOTATION]: 'nonsense' })).toEqual([]);
  expect(of({ [OWNER_UID_LABEL]: 'u' }, { [OWNER_ANNOTATION]: 'Box.g.example/ns/' })).toEqual([]);
  expect([
    ...ownersOf(
      object({ ownerReferences: [{ apiVersion: 'other/v1', kind: 'Box', name: 'b', uid: 'u', controller: true }] }),
      Box,
    ),
  ]).toEqual([]);
});
