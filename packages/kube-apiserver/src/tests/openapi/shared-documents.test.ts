import type { ApiResponse } from '@pintle/apiserver';
import { FORMATS } from '@pintle/apiserver/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer } from '../../testing/open-test-server.ts';

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const AGGREGATED = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the bodies that clients get who ask at the same time. */
async function askedByMany(server: TestServer, path: string, headers: Record<string, string>): Promise<ApiResponse[]> {
  const user = { username: 'nobody', groups: ['system:authenticated'] };
  return await Promise.all(Array.from({ length: 100 }, () => server.send('GET', path, { headers, user })));
}

test('a hundred who ask for the OpenAPI 2 document at once have it made once, and again only when something changed', async () => {
  await using server = await openTestServer({ authorizer: { authorize: () => ({ allowed: true, reason: '' }) } });
  const makeJson = vi.spyOn(FORMATS.json, 'document');
  const makeProtobuf = vi.spyOn(FORMATS.protobuf, 'document');

  await askedByMany(server, '/openapi/v2', {});
  await askedByMany(server, '/openapi/v2', { accept: V2_PROTOBUF });
  await askedByMany(server, '/openapi/v2', {});
  expect(makeJson).toHaveBeenCalledTimes(1);
  expect(makeProtobuf).toHaveBeenCalledTimes(1);

  server.server.catalog.put({ ...server.server.catalog.version({ group: 'apps', version: 'v1' })! });
  await askedByMany(server, '/openapi/v2', {});
  expect(makeJson).toHaveBeenCalledTimes(2);
});

test.each([
  ['/openapi/v2', '*/*'],
  ['/openapi/v2', V2_PROTOBUF],
  ['/openapi/v3', '*/*'],
  ['/openapi/v3/apis/apps/v1', '*/*'],
  ['/openapi/v3/apis/apps/v1', V3_PROTOBUF],
  ['/apis', `application/json;${AGGREGATED}`],
  ['/apis', `application/yaml;${AGGREGATED}`],
  ['/apis', `application/vnd.kubernetes.protobuf;${AGGREGATED}`],
  ['/apis', 'application/yaml'],
  ['/apis/apps', 'application/json'],
  ['/api/v1', 'application/json'],
])('everybody who asks for %s as %s is sent the same bytes, compressed ones too', async (path, accept) => {
  await using server = await openTestServer({ authorizer: { authorize: () => ({ allowed: true, reason: '' }) } });
  for (const encoding of ['identity', 'gzip']) {
    const answers = await askedByMany(server, path, { accept, 'accept-encoding': encoding });
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(5);
    const bodies = new Set(served.map(({ body }) => (body as Uint8Array).buffer));
    expect(bodies.size).toBe(1);
  }
});
