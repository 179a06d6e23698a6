import { expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const claim = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'a' },
  spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', adminAccess: true } }] } },
};

test('Devices of others are asked for in a namespace whose label allows it', async () => {
  await using api = await openTestApi();
  expect(await api.post(CLAIMS, claim)).toMatchObject({
    status: 422,
    body: { details: { causes: [{ field: 'spec.devices.requests[0].adminAccess', reason: 'FieldValueForbidden' }] } },
  });
  const labels = { 'resource.kubernetes.io/admin-access': 'true' };
  await api.merge('/api/v1/namespaces/default', { metadata: { labels } });
  expect((await api.post(CLAIMS, claim)).status).toBe(201);
});
