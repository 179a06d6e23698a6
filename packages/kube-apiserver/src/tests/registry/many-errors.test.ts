import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

/** More than a call takes arguments. */
const MANY = 200_000;
const texts = (text: (i: number) => string): string[] => Array.from({ length: MANY }, (_, i) => text(i));

test.each([
  [
    'finalizers without a domain',
    422,
    '/api/v1/namespaces/default/configmaps',
    { metadata: { name: 'a', finalizers: texts((i) => `~${i}`) } },
  ],
  [
    'containers without a name or an image',
    422,
    '/api/v1/namespaces/default/pods',
    {
      metadata: { name: 'a' },
      spec: {
        containers: texts(() => '')
          .slice(0, 80_000)
          .map(() => ({})),
      },
    },
  ],
  [
    'groups of somebody',
    201,
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    { spec: { user: 'u', groups: texts((i) => `g${i}`), resourceAttributes: { verb: 'get', resource: 'pods' } } },
  ],
  [
    'keys of the topology of a driver',
    413,
    '/apis/storage.k8s.io/v1/csinodes',
    { metadata: { name: 'a' }, spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: texts((i) => `k${i}`) }] } },
  ],
])('as many %s as fit in a body are judged', async (_what, expected, path, body) => {
  await using server = await openTestServer();
  const response = await server.send('POST', path, { body });
  expect(response.status).toBe(expected);
  expect((await textOf(response)).length).toBeLessThan(12 * 1024 * 1024);
});
