import { expect, test } from 'vitest';
import { isExempt, ruleMatches } from './rules.ts';

const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'] };

test.each([
  ['pods', 'pods', true],
  ['pods', 'pods/status', false],
  ['pods/status', 'pods/status', true],
  ['pods/*', 'pods', true],
  ['pods/*', 'pods/exec', true],
  ['*', 'pods', true],
  ['*', 'pods/status', false],
  ['*/status', 'pods/status', true],
  ['*/status', 'pods', false],
  ['*/*', 'pods/exec', true],
  ['nodes', 'pods', false],
])('%s is about %s: %s', (rule, path, expected) => {
  const [resource = '', subresource = ''] = path.split('/');
  const subject = { operation: 'CREATE', group: '', version: 'v1', resource, subresource, isNamespaced: true } as const;
  expect(ruleMatches({ ...everything, resources: [rule] }, subject)).toBe(expected);
});

test.each([
  [{ scope: 'Cluster' }, false],
  [{ scope: 'Namespaced' }, true],
  [{ operations: ['DELETE'] }, false],
  [{ operations: ['DELETE', 'CREATE'] }, true],
  [{ apiGroups: [''] }, false],
  [{ apiVersions: ['v2'] }, false],
  [{ resources: [] }, false],
])('a rule with %j is about a deployment: %s', (more, expected) => {
  const subject = {
    operation: 'CREATE',
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    subresource: '',
    isNamespaced: true,
  } as const;
  expect(ruleMatches({ ...everything, resources: ['*'], ...more }, subject)).toBe(expected);
});

test('nobody is asked about those who are asked', () => {
  const group = 'admissionregistration.k8s.io';
  expect(isExempt({ group, resource: 'validatingwebhookconfigurations' })).toBe(true);
  expect(isExempt({ group: 'example.com', resource: 'validatingwebhookconfigurations' })).toBe(false);
});
