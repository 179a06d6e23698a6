import { ResourceQuota } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

test('a quota says nothing of kinds there are not', async () => {
  await using plane = await openPlane(['resourcequota-controller']);
  const ref = { namespace: 'default', name: 'odd' };
  const hard = { 'count/foos.example.com': '3', 'count/configmaps': '2', 'requests.example.com/gpu': '1' };
  await plane.client.create(ResourceQuota, { metadata: ref, spec: { hard } });
  const status = await plane.eventually(async () => {
    const { status } = await plane.client.get(ResourceQuota, ref);
    return status?.used?.['count/configmaps'] && status;
  });
  expect(status).toEqual({ hard, used: { 'count/configmaps': '0', 'requests.example.com/gpu': '0' } });
});
