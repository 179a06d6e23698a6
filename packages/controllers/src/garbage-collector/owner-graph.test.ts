import { ConfigMap } from '@pintle/kinds/core/v1';
import type { KubernetesObject, OwnerReference } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { OwnerGraph } from './owner-graph.ts';

const REFERENCES = 1_000;
let reads = 0;

/** A reference that counts how often somebody looks whom it means. */
const reference = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'a',
  ...more,
  get uid() {
    reads++;
    return uid;
  },
});

const object = (uid: string, ownerReferences: OwnerReference[] = []): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { uid, name: uid, namespace: 'x', ownerReferences },
});

const distinct = (more?: Partial<OwnerReference>): OwnerReference[] =>
  Array.from({ length: REFERENCES }, (_, index) => reference(`u${index}`, more));

test('many references to one owner are looked at once each, and verified once', () => {
  const graph = new OwnerGraph();
  graph.observe(ConfigMap, { ...object('owner'), metadata: { ...object('owner').metadata, namespace: 'y' } });
  reads = 0;
  const copies = Array.from({ length: REFERENCES }, () => reference('owner'));
  const { wrongNamespace } = graph.observe(ConfigMap, object('child', [...distinct(), ...copies]));
  expect(wrongNamespace).toHaveLength(1);
  expect(reads).toBeLessThan(20 * REFERENCES);
});

test('an owner that waits does not go through the references of its dependents again and again', () => {
  const graph = new OwnerGraph();
  const references = [...distinct(), reference('owner', { blockOwnerDeletion: true })];
  graph.observe(ConfigMap, object('owner'));
  graph.observe(ConfigMap, object('child', references));
  reads = 0;
  for (let i = 0; i < 100; i++) expect(graph.blocking('owner')).toEqual(['child']);
  expect(reads).toBeLessThan(20 * REFERENCES);
});

test('whoever named an owner wrongly, just before it was seen, does not make it absent', () => {
  const graph = new OwnerGraph();
  graph.observe(ConfigMap, object('stranger', [reference('owner', { name: 'wrong' })]));
  const named = graph.get('owner')!;
  graph.observe(ConfigMap, object('owner'));
  graph.observe(ConfigMap, object('child', [reference('owner', { name: 'owner' })]));
  // Meanwhile the server was asked for what the stranger named, and has none.
  expect(graph.forget(named)).toBeUndefined();
  expect(graph.get('owner')?.type).toBe(ConfigMap);
});

test('the end of an object with the uid of another is not the end of that one', () => {
  const graph = new OwnerGraph();
  const identity = {
    uid: 'owner',
    name: 'owner',
    namespace: 'x',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    type: ConfigMap,
  };
  graph.observe(ConfigMap, object('owner'));
  graph.observe(ConfigMap, object('child', [reference('owner', { name: 'owner' })]));
  for (const other of [{ namespace: 'y' }, { name: 'z' }, { kind: 'Secret' }, { apiVersion: 'example.com/v1' }]) {
    expect(graph.forget({ ...identity, ...other })).toBeUndefined();
  }
  expect(graph.forget(identity)).toMatchObject({ check: ['child'] });
});
