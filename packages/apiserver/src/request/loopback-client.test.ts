import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { LoopbackClient } from './loopback-client.ts';

test('an answer that comes in pieces is read to its end', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"apiVersion":"v1","kind":"ConfigMap",');
    yield Buffer.from('"metadata":{"name":"a"}}');
  }
  const client = new LoopbackClient(async () => ({ status: 201, headers: {}, body: pieces() }));
  const object = {
    apiVersion: ConfigMap.apiVersion,
    kind: ConfigMap.kind,
    metadata: { namespace: 'default', name: 'a' },
  };
  expect(await client.create(ConfigMap, object)).toMatchObject({ metadata: { name: 'a' } });
});
