import { ConfigMap, Node } from '@pintle/kinds/core/v1';
import { describe, expect, test } from 'vitest';
import { findCondition, isConditionTrue, setCondition } from './conditions.ts';
import { controllerOf, setControllerReference } from './owner-references.ts';

describe('setCondition', () => {
  const [t0, t1] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  const ready = { type: 'Ready', status: 'True', reason: 'Up' } as const;

  test('keeps the transition time while the status stays', () => {
    const first = setCondition(undefined, ready, { nowMs: t0 });
    expect(first).toEqual([{ ...ready, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }]);
    const second = setCondition(first, { ...ready, message: 'fine', observedGeneration: 2 }, { nowMs: t1 });
    expect(second).toMatchObject([{ message: 'fine', lastTransitionTime: '2026-01-01T00:00:00Z' }]);
    const third = setCondition(second, { ...ready, status: 'False' }, { nowMs: t1 });
    expect(third).toMatchObject([{ status: 'False', lastTransitionTime: '2026-01-02T00:00:00Z' }]);
    expect(isConditionTrue(third, 'Ready')).toBe(false);
  });

  test('leaves the others in their places', () => {
    const both = setCondition(setCondition([], ready, { nowMs: t0 }), { ...ready, type: 'Other' }, { nowMs: t0 });
    const changed = setCondition(both, { ...ready, status: 'Unknown' }, { nowMs: t1 });
    expect(changed.map(({ type, status }) => `${type} ${status}`)).toEqual(['Ready Unknown', 'Other True']);
    expect(findCondition(changed, 'Other')).toBe(both[1]);
  });
});

describe('setControllerReference', () => {
  const map = (name: string, uid: string, namespace = 'apps') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, uid },
  });

  test('makes an owner the controller, and follows it when it is made anew', () => {
    const object = map('child', '1');
    setControllerReference(object, ConfigMap, map('owner', '2'));
    setControllerReference(object, ConfigMap, map('owner', '3'));
    expect((object.metadata as ConfigMap['metadata']).ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '3', controller: true, blockOwnerDeletion: true },
    ]);
    expect(controllerOf(object)?.uid).toBe('3');
  });

  test('refuses a second controller', () => {
    const object = map('child', '1');
    setControllerReference(object, ConfigMap, map('owner', '2'));
    expect(() => setControllerReference(object, ConfigMap, map('other', '3'))).toThrow(
      'Cannot own ConfigMap apps/child: ConfigMap owner controls it',
    );
  });

  test('stays within a namespace, unless the owner is in none', () => {
    const object = map('child', '1');
    expect(() => setControllerReference(object, ConfigMap, map('owner', '2', 'elsewhere'))).toThrow(TypeError);
    setControllerReference(object, Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: '4' } });
    expect(controllerOf(object)?.kind).toBe('Node');
  });
});
