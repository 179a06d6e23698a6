import type { KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { AppliedMemory, digestOf } from './applied-memory.ts';

const said = { metadata: { name: 'a' }, data: { x: '1' } };
const saying = { owner: 'owner', tie: 'controller', digest: digestOf(said) };

function present(resourceVersion: string, more: object = {}, uid = 'u'): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid, resourceVersion },
    data: { x: '1' },
    ...more,
  } as KubernetesObject;
}

function remembering(): AppliedMemory {
  const memory = new AppliedMemory();
  memory.remember('r', 'k', saying, present('5'));
  return memory;
}

test('nothing is known before anything was written', () => {
  expect(new AppliedMemory().isSaid('r', 'k', saying, present('5'), () => said)).toBe(false);
});

test('the version the server answered with says all that was sent', () => {
  expect(remembering().isSaid('r', 'k', saying, present('5', { data: {} }))).toBe(true);
});

test('a later version is looked at, once', () => {
  const memory = remembering();
  const later = present('6', { data: { x: '1', y: '2' } });
  expect(memory.isSaid('r', 'k', saying, later)).toBe(false);
  expect(memory.isSaid('r', 'k', saying, later, () => said)).toBe(true);
  expect(memory.isSaid('r', 'k', saying, present('6'))).toBe(true);
  expect(memory.isConfirmed(saying, later)).toBe(true);
});

test.each<[string, Partial<typeof saying>, KubernetesObject]>([
  ['other fields', { digest: digestOf({ ...said, data: {} }) }, present('5')],
  ['another owner', { owner: 'other' }, present('5')],
  ['another tie', { tie: 'plain' }, present('5')],
  ['another object of the name', {}, present('5', {}, 'v')],
  ['an object that others changed', {}, present('6', { data: { x: '2' } })],
])('%s have to be sent', (_what, change, object) => {
  expect(remembering().isSaid('r', 'k', { ...saying, ...change }, object, () => said)).toBe(false);
});

test('what is in doubt, or belonged to an object that is gone, has to be sent', () => {
  const memory = remembering();
  const object = present('5');
  expect(memory.isSaid('r', 'k', saying, object)).toBe(true);
  memory.doubt('r', 'k', object);
  expect(memory.isConfirmed(saying, object)).toBe(false);
  expect(memory.isSaid('r', 'k', saying, object)).toBe(false);
  memory.remember('r', 'k', saying, object);
  memory.forget('r');
  expect(memory.isSaid('r', 'k', saying, object)).toBe(false);
});

test('references to owners are found among those of others', () => {
  const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'X', name: uid, uid });
  const sent = { ...said, metadata: { name: 'a', ownerReferences: [reference('ours')] } };
  const object = present('6');
  object.metadata.ownerReferences = [reference('theirs'), reference('ours')];
  expect(remembering().isSaid('r', 'k', saying, object, () => sent)).toBe(true);
});

test('large configurations are remembered by a digest', () => {
  expect(digestOf({ text: 'x'.repeat(10_000) }).length).toBeLessThan(100);
  expect(digestOf({ text: 'x'.repeat(10_000) })).not.toBe(digestOf({ text: 'y'.repeat(10_000) }));
});
