import { expect, test } from 'vitest';
import { accessOf } from './request-access.ts';

test.each([
  ['GET', '/api/v1/namespaces/default/pods/web', '', 'web'],
  ['GET', '/api/v1/pods', 'watch=true&fieldSelector=metadata.name%3Dweb', 'web'],
  ['GET', '/api/v1/pods', 'fieldSelector=spec.nodeName%3Dn,metadata.name%3D%3Dweb', 'web'],
  ['GET', '/api/v1/pods', 'fieldSelector=metadata.name!%3Dweb', undefined],
  ['POST', '/api/v1/namespaces/default/pods', '', undefined],
])('%s %s?%s is about the object named %s', (...[method, path, query, name]) => {
  expect(accessOf({ method, path, query })?.name).toBe(name);
});

test.each([
  ['GET', '/api/v1/namespaces/default/pods/web', '', 'get /pods namespaced'],
  ['GET', '/api/v1/pods', 'limit=5', 'list /pods'],
  ['GET', '/api/v1/pods', 'watch=true&limit=5', 'watch /pods'],
  ['POST', '/api/v1/namespaces/default/pods', '', 'create /pods namespaced'],
  ['PUT', '/apis/apps/v1/namespaces/default/deployments/web/status', '', 'update apps/deployments/status namespaced'],
  ['PATCH', '/apis/apps/v1/namespaces/default/deployments/web', '', 'patch apps/deployments namespaced'],
  ['DELETE', '/apis/apps/v1/namespaces/default/deployments', '', 'deletecollection apps/deployments namespaced'],
  ['DELETE', '/api/v1/namespaces/default', '', 'delete /namespaces'],
  ['PUT', '/api/v1/namespaces/default/finalize', '', 'update /namespaces/finalize'],
  ['GET', '/api/v1/nodes/a%2Fb', '', 'get /nodes'],
  ['POST', '/api/v1/namespaces/default/pods/web/eviction', '', 'create /pods/eviction namespaced'],
  ['GET', '/apis/apps/v1', '', 'nothing'],
  ['GET', '/version', '', 'nothing'],
  ['GET', '/openapi/v3', '', 'nothing'],
])('%s %s?%s asks to be allowed: %s', (...[method, path, query, expected]) => {
  const access = accessOf({ method, path, query });
  const told = access && `${access.verb} ${access.group}/${access.resource}${access.isNamespaced ? ' namespaced' : ''}`;
  expect(told ?? 'nothing').toBe(expected);
});
