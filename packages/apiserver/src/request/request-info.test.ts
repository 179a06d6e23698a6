import { expect, test } from 'vitest';
import { IncompletePath, isLongRunning, MalformedPath, readRequestInfo } from './request-info.ts';

function read(method: string, target: string) {
  const [path = '', query = ''] = target.split('?', 2);
  return readRequestInfo({ method, path }, new URLSearchParams(query));
}

test.each([
  ['GET', '/api/v1/pods', { verb: 'list', group: '', version: 'v1', namespace: '', resource: 'pods', name: '' }],
  ['GET', '/api/v1/namespaces/a/pods/b', { verb: 'get', namespace: 'a', resource: 'pods', name: 'b', subresource: '' }],
  ['HEAD', '/api/v1/namespaces/a/pods/b', { verb: 'get', name: 'b' }],
  ['OPTIONS', '/api/v1/namespaces/a/pods/b/proxy', { verb: '', name: 'b', subresource: 'proxy' }],
  ['PROPFIND', '/api/v1/pods?watch=true', { verb: '', resource: 'pods' }],
  ['PUT', '/api/v1/namespaces/a/pods/b/status', { verb: 'update', name: 'b', subresource: 'status' }],
  ['GET', '/api/v1/namespaces/a/pods/b/proxy/x/y', { subresource: 'proxy', rest: ['x', 'y'] }],
  ['DELETE', '/apis/apps/v1/namespaces/a/deployments', { verb: 'deletecollection', group: 'apps', name: '' }],
  ['GET', '/apis/apps/v1/deployments?watch=true', { verb: 'watch', resource: 'deployments' }],
  ['GET', '/apis/apps/v1/deployments?watch=0', { verb: 'list' }],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', { verb: 'watch', namespace: 'a', resource: 'pods', name: 'b' }],
  ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', name: '' }],
  ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', name: 'a' }],
  [
    'PUT',
    '/api/v1/namespaces/a/finalize',
    { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' },
  ],
  ['GET', '/api/v1/namespaces/a/status', { resource: 'namespaces', name: 'a', subresource: 'status' }],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx', { verb: 'list', name: '', authorizedName: 'x' }],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3D%3Dsystem:x', { authorizedName: 'system:x' }],
  ['GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn,metadata.name%3Dx', { authorizedName: 'x' }],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name!%3Dx', { authorizedName: '' }],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3D..', { authorizedName: '' }],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da%5C,b', { authorizedName: '' }],
  ['DELETE', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx', { authorizedName: '' }],
  ['GET', '/api/v1/pods//', { verb: 'list', resource: 'pods', name: '' }],
  ['GET', '/api/v1//pods', { resource: '', name: 'pods' }],
  ['GET', '/api/v1/namespaces/a//pods', { namespace: 'a', resource: '', name: 'pods' }],
  ['GET', '/api/v1/namespaces//pods', { verb: 'list', namespace: '', isNamespaceEmpty: true, resource: 'pods' }],
  ['GET', '/api/v1/namespaces//status', { namespace: '', resource: 'namespaces', name: '', subresource: 'status' }],
  ['GET', '/api/v1/namespaces/a%2Fb/pods', { namespace: 'a', resource: 'b', name: 'pods' }],
  ['GET', '/%61pi/v1/namespaces/%C3%a9', { resource: 'namespaces', name: 'é' }],
  ['GET', '/api/v1/namespaces/%C3', { resource: 'namespaces', name: '\ufffd' }],
])('%s %s', (method, target, expected) => {
  expect(read(method, target)).toMatchObject({ kind: 'resource', ...expected });
});

test.each([
  '/',
  '/version',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/healthz/ping',
  '//api/v1/pods',
])('%s is a path', (path) => {
  expect(read('GET', path)).toEqual({ kind: 'path', verb: 'get', path });
});

test('a path is what it means, however it is spelt', () => {
  expect(read('GET', '/apis%2F%61pps')).toEqual({ kind: 'path', verb: 'get', path: '/apis/apps' });
});

test('a segment that is not percent-encoding is refused', () => {
  expect(() => read('GET', '/api/v1/namespaces/%zz/pods')).toThrow(MalformedPath);
});

test.each(['/api/v1/watch', '/apis/apps/v1/watch//', '/api/v1/proxy'])('%s says not what it is about', (path) => {
  expect(() => read('GET', path)).toThrow(IncompletePath);
});

test.each([
  ['POST', '/console/reports', true],
  ['POST', '/%63onsole/reports', true],
  ['POST', '/console/reports/stream', false],
  ['GET', '/metrics', false],
  ['GET', '/api/v1/pods?watch=true', true],
  ['GET', '/api/v1/pods', false],
] as const)('%s %s is without a deadline: %s', (method, target, isLong) => {
  expect(isLongRunning(read(method, target))).toBe(isLong);
});
