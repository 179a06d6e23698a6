import type { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { groupByNode } from './daemon-set-snapshot.ts';

test('the pod that is on a node speaks for it, before elder ones that are only aimed at it', () => {
  const found = groupByNode([pinned('b', '2026-01-01T00:00:00Z'), bound('c', '2026-01-03T00:00:00Z')]);
  expect(names(found)).toEqual(['c', 'b']);
});

test('of those on a node the eldest speaks, of the same age the first by name', () => {
  const found = groupByNode([
    bound('c', '2026-01-02T00:00:00Z'),
    bound('b', '2026-01-03T00:00:00Z'),
    bound('a', '2026-01-03T00:00:00Z'),
  ]);
  expect(names(found)).toEqual(['c', 'a', 'b']);
});

const names = (found: ReadonlyMap<string, readonly Pod[]>) => found.get('node')?.map(({ metadata }) => metadata.name);

function bound(name: string, creationTimestamp: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp },
    spec: { nodeName: 'node', containers: [] },
  };
}

function pinned(name: string, creationTimestamp: string): Pod {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: ['node'] }];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, creationTimestamp }, spec: { affinity, containers: [] } };
}
