import type { KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { ApplyCache, digestOf } from './apply-cache.ts';

const said = { metadata: { name: 'a' }, data: { x: '1' } };
const configuration = { owner: 'owner', mode: 'controller', digest: digestOf(said) };

function present(resourceVersion: string, more: object = {}, uid = 'u'): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid, resourceVersion },
    data: { x: '1' },
    ...more,
  } as KubernetesObject;
}

function remembering(): ApplyCache {
  const cache = new ApplyCache();
  cache.remember('r', 'k', configuration, present('5'));
  return cache;
}

test('nothing is known before anything was written', () => {
  expect(new ApplyCache().isUpToDate('r', 'k', configuration, present('5'), () => said)).toBe(false);
});

test('the version the server answered with says all that was sent', () => {
  expect(remembering().isUpToDate('r', 'k', configuration, present('5', { data: {} }))).toBe(true);
});

test('a later version is looked at, once', () => {
  const cache = remembering();
  const later = present('6', { status: { phase: 'Bound' } });
  expect(cache.isUpToDate('r', 'k', configuration, later)).toBe(false);
  expect(cache.isUpToDate('r', 'k', configuration, later, () => said)).toBe(true);
  expect(cache.isUpToDate('r', 'k', configuration, present('6'))).toBe(true);
  expect(cache.isConfirmed(configuration, later)).toBe(true);
});

test.each<[string, Partial<typeof configuration>, KubernetesObject]>([
  ['other fields', { digest: digestOf({ ...said, data: {} }) }, present('5')],
  ['another owner', { owner: 'other' }, present('5')],
  ['another tie', { mode: 'plain' }, present('5')],
  ['another object of the name', {}, present('5', {}, 'v')],
  ['an object that others changed', {}, present('6', { data: { x: '2' } })],
  ['an object that others added to', {}, present('6', { data: { x: '1', y: '2' } })],
])('%s have to be sent', (_what, change, object) => {
  expect(remembering().isUpToDate('r', 'k', { ...configuration, ...change }, object, () => said)).toBe(false);
});

test('other values of fields that others had set are not our concern', () => {
  const cache = new ApplyCache();
  cache.remember('r', 'k', configuration, present('5', { data: { x: '1', theirs: '1' } }));
  expect(cache.isUpToDate('r', 'k', configuration, present('6', { data: { x: '1', theirs: '2' } }), () => said)).toBe(
    true,
  );
  expect(cache.isUpToDate('r', 'k', configuration, present('7', { data: { x: '1' } }), () => said)).toBe(true);
});

test('what is in doubt, or belonged to an object that is gone, has to be sent', () => {
  const cache = remembering();
  const object = present('5');
  expect(cache.isUpToDate('r', 'k', configuration, object)).toBe(true);
  cache.invalidate('r', 'k', object);
  expect(cache.isConfirmed(configuration, object)).toBe(false);
  expect(cache.isUpToDate('r', 'k', configuration, object)).toBe(false);
  cache.remember('r', 'k', configuration, object);
  cache.forget('r');
  expect(cache.isUpToDate('r', 'k', configuration, object)).toBe(false);
});

test('references to owners are found among those of others', () => {
  const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'X', name: uid, uid });
  const sent = { ...said, metadata: { name: 'a', ownerReferences: [reference('ours')] } };
  const object = present('6');
  object.metadata.ownerReferences = [reference('theirs'), reference('ours')];
  const cache = new ApplyCache();
  cache.remember('r', 'k', configuration, { ...object, metadata: { ...object.metadata, resourceVersion: '5' } });
  expect(cache.isUpToDate('r', 'k', configuration, object, () => sent)).toBe(true);
});

test('large configurations are remembered by a digest', () => {
  expect(digestOf({ text: 'x'.repeat(10_000) }).length).toBeLessThan(100);
  expect(digestOf({ text: 'x'.repeat(10_000) })).not.toBe(digestOf({ text: 'y'.repeat(10_000) }));
});
