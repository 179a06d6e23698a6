import type { ReplicaSet } from '@pintle/kinds/apps/v1';
import { expect, test } from 'vitest';
import { byRevision, newestAnnotations, nextRevision, REVISION, readRevision } from './revisions.ts';

const set = (revision: string): ReplicaSet => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: revision, annotations: { [REVISION]: revision } },
});

test('a revision may have all digits of a 64-bit integer', () => {
  const [older, old] = [set('3546343826724305831'), set('3546343826724305832')];
  expect(nextRevision([old, older])).toBe(3546343826724305833n);
  expect([old, older].sort(byRevision)).toEqual([older, old]);
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} } as const;
  expect(newestAnnotations(deployment, 3546343826724305833n, old.metadata.annotations)).toEqual({
    [REVISION]: '3546343826724305833',
    'deployment.kubernetes.io/revision-history': '3546343826724305832',
  });
});

test('a revision that is no such integer is none', () => {
  for (const text of ['', 'x', '1.5', '1e3', '9223372036854775808', '12345678901234567890123']) {
    expect(readRevision(text)).toBe(0n);
  }
});
