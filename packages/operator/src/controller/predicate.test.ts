import type { Cached, KubernetesObject } from '@pintle/machinery';
import { expect, test } from 'vitest';
import type { Change, Predicate } from './predicate.ts';
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  matchesLabels,
  not,
  or,
  resourceVersionChanged,
} from './predicate.ts';

type Meta = KubernetesObject['metadata'];
const stored = { name: 'a', uid: 'b', resourceVersion: '0', creationTimestamp: '2026-01-01T00:00:00Z' };
const object = (metadata: Meta): Cached<KubernetesObject> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...stored, ...metadata } as Cached<KubernetesObject>['metadata'],
});
const updated = (before: Meta, after: Meta): Change<KubernetesObject> => ({
  type: 'updated',
  object: object(after),
  previous: object(before),
});

test.each<[string, Predicate, Meta, Meta, boolean]>([
  ['generation', generationChanged, { generation: 1 }, { generation: 2 }, true],
  ['generation', generationChanged, { generation: 1, labels: { a: 'b' } }, { generation: 1 }, false],
  ['labels', labelsChanged, {}, { labels: {} }, false],
  ['labels', labelsChanged, { labels: { a: 'b' } }, { labels: { a: 'c' } }, true],
  ['annotations', annotationsChanged, { annotations: { a: 'b' } }, {}, true],
  ['annotations', annotationsChanged, { labels: { a: 'b' } }, {}, false],
  ['version', resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '1' }, false],
  ['version', resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '2' }, true],
  ['selector, left', matchesLabels('a=b'), { labels: { a: 'b' } }, {}, true],
  ['selector, never', matchesLabels('a=b'), { labels: { a: 'c' } }, {}, false],
  ['and', and(generationChanged, labelsChanged), { generation: 1 }, { generation: 2 }, false],
  ['or', or(generationChanged, labelsChanged), { generation: 1 }, { generation: 2 }, true],
  ['not', not(generationChanged), { generation: 1 }, { generation: 2 }, false],
])('%s', (_what, predicate, before, after, isWorth) => {
  expect(predicate(updated(before, after))).toBe(isWorth);
});

test('what comes and goes always counts, where only changes are looked at', () => {
  const added: Change<KubernetesObject> = { type: 'added', object: object({}), isInitial: false };
  for (const predicate of [generationChanged, labelsChanged, annotationsChanged, resourceVersionChanged]) {
    expect(predicate(added)).toBe(true);
    expect(predicate({ type: 'deleted', object: object({}) })).toBe(true);
  }
});
