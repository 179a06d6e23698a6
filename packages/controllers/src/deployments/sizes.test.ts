import { expect, test } from 'vitest';
import { boundsOf } from './sizes.ts';

test('a rolling update may have some more and some fewer than wanted', () => {
  check(4, { rollingUpdate: { maxSurge: '30%', maxUnavailable: '30%' } }, 2, 1);
  check(3, { rollingUpdate: { maxSurge: 0, maxUnavailable: '1%' } }, 0, 1);
  check(2, { rollingUpdate: { maxSurge: 1, maxUnavailable: 5 } }, 1, 2);
  check(0, { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }, 1, 0);
});

test('a deployment that is recreated is available when all of it is', () => {
  check(3, { type: 'Recreate' }, 0, 0);
});

function check(replicas: number, strategy: object, maxSurge: number, maxUnavailable: number): void {
  const deployment = { metadata: {}, spec: { replicas, strategy } } as Parameters<typeof boundsOf>[0];
  expect(boundsOf(deployment)).toEqual({ maxSurge, maxUnavailable });
}
