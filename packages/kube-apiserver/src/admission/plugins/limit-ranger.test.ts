import { expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

const PODS = '/api/v1/namespaces/default/pods';
const RANGES = '/api/v1/namespaces/default/limitranges';
const amounts = (count: number, amount = '5') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`r.io/r${i}`, amount]));
const range = (name: string, limits: object) => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name },
  spec: { limits: [{ type: 'Container', ...limits }] },
});
const podOf = (count: number, resources?: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'wide' },
  spec: { containers: Array.from({ length: count }, (_, i) => ({ name: `c${i}`, image: 'x', resources })) },
});

test('defaults of a LimitRange add no more to the containers of a pod than an object can have', async () => {
  await using api = await openTestApi();
  await api.post(RANGES, range('many', { default: amounts(1_000), defaultRequest: amounts(1_000) }));
  expect((await api.post(PODS, podOf(600))).status).toBe(413);
  expect((await api.post(PODS, podOf(2))).status).toBe(201);
});

test('a refusal by a LimitRange shows a thousand problems', async () => {
  await using api = await openTestApi();
  await api.post(RANGES, range('many', { max: amounts(200) }));
  const resources = { limits: amounts(200, '6'), requests: amounts(200, '6') };
  const { status, body } = await api.post(PODS, podOf(50, resources));
  expect(status).toBe(403);
  const { message } = body as unknown as { message: string };
  expect(message).toContain('maximum r.io/r0 usage per Container is 5, but limit is 6');
  expect(message.split(' usage per Container is ')).toHaveLength(1_001);
});
