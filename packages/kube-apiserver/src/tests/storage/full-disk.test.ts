import { MemoryDisk, openStore } from '@pintle/store';
import { FaultyEngine } from '@pintle/store/testing';
import { expect, test } from 'vitest';
import type { SendOptions, TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** A server whose disk takes only what makes room, once it is full. */
async function openOn(disk: MemoryDisk, { isFull = false } = {}) {
  const engine = new FaultyEngine(disk);
  const fill = (): void => {
    engine.faultOf = (_, { isForDeletion, reclaims }) => (isForDeletion || reclaims ? undefined : 'no-space');
  };
  if (isFull) fill();
  const server = await openTestServer({ store: await openStore(engine) });
  const ask = async (method: string, path: string, options?: SendOptions): Promise<number> =>
    (await server.send(method, path, options)).status;
  return { server, engine, fill, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function readyz(server: TestServer): Promise<string> {
  return await textOf(await server.send('GET', '/readyz?verbose=true'));
}

test('on a full disk objects are deleted, held ones too, and the server says that it cannot write', async () => {
  await using on = await openOn(new MemoryDisk());
  const { server, engine, fill, ask } = on;
  await ask('POST', MAPS, { body: { metadata: { name: 'free' } } });
  await ask('POST', MAPS, { body: { metadata: { name: 'held', finalizers: ['a.io/b'] } } });
  fill();
  expect(await ask('POST', MAPS, { body: { metadata: { name: 'more' } } })).toBe(507);
  expect(await ask('PATCH', `${MAPS}/held`, { headers: MERGE, body: { data: { a: 'b' } } })).toBe(507);
  expect(await ask('DELETE', `${MAPS}/free`)).toBe(200);
  expect(await ask('DELETE', `${MAPS}/held`)).toBe(200);
  expect(await ask('GET', `${MAPS}/held`)).toBe(200);
  expect(await ask('PATCH', `${MAPS}/held`, { headers: MERGE, body: { metadata: { finalizers: null } } })).toBe(200);
  expect(await ask('GET', `${MAPS}/held`)).toBe(404);
  expect(await readyz(server)).toContain('[-]etcd-readiness failed');
  expect(await ask('GET', '/livez')).toBe(200);
  engine.faultOf = () => undefined;
  expect(await ask('POST', MAPS, { body: { metadata: { name: 'more' } } })).toBe(201);
});

test('a server starts on a full disk, so that somebody can make room', async () => {
  const disk = new MemoryDisk();
  {
    await using before = await openOn(disk);
    await before.ask('POST', MAPS, { body: { metadata: { name: 'a' } } });
    // The server's own lease is written anew at the next start.
    await before.ask('DELETE', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
  }
  await using on = await openOn(disk, { isFull: true });
  expect(await on.ask('GET', `${MAPS}/a`)).toBe(200);
  expect(await on.ask('DELETE', `${MAPS}/a`)).toBe(200);
});
