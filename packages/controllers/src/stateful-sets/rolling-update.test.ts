import type { StatefulSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { outdatedPods } from './rolling-update.ts';

/** Pods in order: `old` or `new`, with `!` when they do not serve, `-` when they are going. */
function check(pods: string, rollingUpdate: object, removed: string): void {
  const replicas = pods.split(' ').map(podOf);
  const set = { spec: { replicas: replicas.length, updateStrategy: { rollingUpdate } } } as unknown as StatefulSet;
  expect(
    outdatedPods(set, replicas, 'new', 0)
      .map(({ metadata }) => metadata.name)
      .join(' '),
  ).toBe(removed);
}

function podOf(text: string, ordinal: number): Pod {
  const isRunningAndAvailable = !text.endsWith('!');
  const revision = text.replace(/[!-]$/, '');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `db-${ordinal}`,
      labels: { 'controller-revision-hash': revision },
      ...(text.endsWith('-') && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: isRunningAndAvailable ? 'True' : 'False' }] },
  };
}

test.each([
  ['the last goes first', 'old old old', {}, 'db-2'],
  ['the next waits for the one before', 'old old new!', {}, ''],
  ['and for one that is going', 'old old old-', {}, ''],
  ['then it goes', 'old old new', {}, 'db-1'],
  ['the partition holds', 'old old new', { partition: 2 }, ''],
  ['nothing is left to do', 'new new new', {}, ''],
  ['an old one that does not serve is replaced', 'old! old! old!', {}, 'db-2'],
  ['two at a time', 'old old old old', { maxUnavailable: 2 }, 'db-3 db-2'],
  ['one of two is underway', 'old old old new!', { maxUnavailable: 2 }, 'db-2'],
  ['a share is rounded down, but never to none', 'old old old', { maxUnavailable: '10%' }, 'db-2'],
])('%s', (_, pods, rollingUpdate, removed) => check(pods, rollingUpdate, removed));
