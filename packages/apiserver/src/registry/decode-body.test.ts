import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../testing/open-test-server.ts';

test('what a YAML document says that nobody knows is told by name, not as it comes', async () => {
  await using server = await openTestServer();
  const response = await server.send('POST', '/api/v1/namespaces/default/services?fieldValidation=Strict', {
    headers: { 'content-type': 'application/yaml' },
    body: 'spec: {zzz: 1}\nodd: 1\nkind: Service\napiVersion: v1\nmetadata: {name: a, bogus: 1}\n',
  });
  expect(JSON.parse(await textOf(response)).message).toContain(
    'unknown field "metadata.bogus", unknown field "odd", unknown field "spec.zzz"',
  );
});
