import type { Node, NodeSelectorRequirement } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { matchesNodeAffinity } from './node-affinity.ts';

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'one', labels: { zone: 'a', cores: '8' } },
};

function requiring(field: 'matchExpressions' | 'matchFields', ...requirements: NodeSelectorRequirement[]): boolean {
  const required = { nodeSelectorTerms: [{ [field]: requirements }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  return matchesNodeAffinity({ containers: [], affinity }, node);
}

test('a node selector names every label the node must have', () => {
  expect(matchesNodeAffinity({ containers: [], nodeSelector: { zone: 'a' } }, node)).toBe(true);
  expect(matchesNodeAffinity({ containers: [], nodeSelector: { zone: 'a', disk: 'ssd' } }, node)).toBe(false);
});

test.each<[NodeSelectorRequirement, boolean]>([
  [{ key: 'zone', operator: 'In', values: ['a', 'b'] }, true],
  [{ key: 'zone', operator: 'NotIn', values: ['a'] }, false],
  [{ key: 'disk', operator: 'NotIn', values: ['ssd'] }, true],
  [{ key: 'zone', operator: 'Exists' }, true],
  [{ key: 'disk', operator: 'DoesNotExist' }, true],
  [{ key: 'constructor', operator: 'Exists' }, false],
  [{ key: 'cores', operator: 'Gt', values: ['4'] }, true],
  [{ key: 'cores', operator: 'Lt', values: ['8'] }, false],
  [{ key: 'zone', operator: 'Gt', values: ['4'] }, false],
])('%j: %s', (requirement, isChosen) => {
  expect(requiring('matchExpressions', requirement)).toBe(isChosen);
});

test('fields choose by name, and a term without anything chooses nothing', () => {
  expect(requiring('matchFields', { key: 'metadata.name', operator: 'In', values: ['one'] })).toBe(true);
  expect(requiring('matchFields', { key: 'metadata.name', operator: 'In', values: ['two'] })).toBe(false);
  expect(requiring('matchFields')).toBe(false);
});
