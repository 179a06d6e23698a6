import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await openTestServer();
});
afterAll(async () => await api[Symbol.asyncDispose]());

test.each<[string, string, number, string]>([
  ['GET', '/api/v1/namespaces//configmaps', 200, 'ConfigMapList'],
  ['GET', '/api/v1/namespaces//configmaps/a', 400, 'Namespace parameter required.'],
  ['DELETE', '/api/v1/namespaces//configmaps?labelSelector=none', 200, 'ConfigMapList'],
  ['DELETE', '/api/v1/configmaps', 405, 'does not allow this method'],
  ['POST', '/api/v1/namespaces//configmaps', 422, 'metadata.namespace: Required value'],
  ['GET', '/api/v1/namespaces/default/configmaps/a%00', 404, 'not found'],
  ['GET', '/api/v1/namespaces/default/configmaps/a%25b', 400, "may not contain '%'"],
  ['PUT', '/api/v1/namespaces/default/configmaps/a%25b', 400, 'the object provided is unrecognized'],
  ['GET', '/api/v1/namespaces//nodes', 404, 'could not find'],
  ['GET', '/api/v1/namespaces//namespaces', 404, 'could not find'],
  ['GET', '/api/v1/namespaces/default', 200, '"Namespace"'],
  ['GET', '/api/v1/namespaces/default/namespaces/default', 404, 'could not find'],
  ['DELETE', '/api/v1/namespaces/default/namespaces/default', 404, 'could not find'],
  ['GET', '/api/v1/namespaces/default/namespaces/default/status', 404, 'could not find'],
  ['GET', '/api/v1/namespaces//status', 400, 'name must be provided'],
  ['GET', '/api/v1/namespaces//finalize', 405, 'does not allow this method'],
  ['GET', '/api/v1/namespaces/default/pods//status', 400, 'name must be provided'],
  ['GET', '/api/v1/namespaces/default/pods//other', 404, 'could not find'],
  ['GET', '/api/v1/pods//status', 404, 'could not find'],
  ['GET', '/apis//v1/pods', 404, '404 page not found'],
  ['GET', '/apis//', 404, '404 page not found'],
  ['GET', '/apis/apps/v1//', 200, 'APIResourceList'],
  ['POST', '/apis/apps/', 200, 'APIGroup'],
  ['GET', '/apis/apps//', 200, 'APIGroup'],
  ['POST', '/apis/apps//', 405, 'does not allow this method'],
  ['GET', '/version//', 200, 'gitVersion'],
  [
    'GET',
    '/api/v1/watch?a=<b>',
    500,
    'Internal Server Error: "/api/v1/watch?a=&lt;b&gt;": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch?a=&lt;b&gt;\n',
  ],
])('%s %s is answered %i', async (method, path, status, part) => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const answer = await api.send(
    method,
    path,
    method === 'POST' ? { body, headers: { 'content-type': 'application/json' } } : {},
  );
  expect(answer.status).toBe(status);
  expect(await textOf(answer)).toContain(part);
});
