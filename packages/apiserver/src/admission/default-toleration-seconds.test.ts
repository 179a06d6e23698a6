import { expect, test } from 'vitest';
import { openTestApi } from '../testing/test-api.ts';

const PODS = '/api/v1/namespaces/default/pods';

test.each([
  ['both taints', [], ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']],
  [
    'the one it does not name',
    [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
  ],
  ['none if it tolerates all', [{ operator: 'Exists' }], [undefined]],
  [
    'both if it only may be scheduled',
    [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }],
    ['node.kubernetes.io/not-ready', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
  ],
])('a pod comes to tolerate the loss of its node for a while: %s', async (_case, tolerations, expected) => {
  await using api = await openTestApi();
  const spec = { containers: [{ name: 'c', image: 'i' }], tolerations };
  const { body } = await api.post(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
  const { tolerations: given } = body.spec as { tolerations: { key?: string; tolerationSeconds?: number }[] };
  expect(given.map(({ key }) => key)).toEqual(expected);
  const added = given.slice(tolerations.length);
  expect(new Set(added.map(({ tolerationSeconds }) => tolerationSeconds))).toEqual(new Set(added.length ? [300] : []));
});
