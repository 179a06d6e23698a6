import { expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

test('a token of an account in no namespace is refused for the namespace', async () => {
  await using api = await openTestApi();
  const { body } = await api.post('/api/v1/namespaces/none/serviceaccounts/none/token', { spec: {} });
  expect(body.message).toBe('namespaces "none" not found');
});
