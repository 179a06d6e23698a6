import { expect, test } from 'vitest';
import { readRequestInfo } from '../request/request-info.ts';
import type { AuditRule } from './audit-policy.ts';
import { decideAudit } from './audit-policy.ts';
import { readAuditPolicy } from './read-policy.ts';

const JANE = { username: 'jane', groups: ['dev', 'system:authenticated'] };

function check(rules: AuditRule[], request: string, level: string): void {
  const [method = '', url = ''] = request.split(' ');
  const [path = '', query = ''] = url.split('?');
  const info = readRequestInfo({ method, path }, new URLSearchParams(query));
  expect(decideAudit({ rules }, JANE, info).level).toBe(level);
}

const pods = '/api/v1/namespaces/shop/pods';

test('no rule, no record', () => check([], `GET ${pods}`, 'None'));

test('the first rule that matches decides', () =>
  check([{ level: 'None', verbs: ['list'] }, { level: 'Request' }], `GET ${pods}`, 'None'));

test('rules match users', () =>
  check([{ level: 'None', users: ['joe'] }, { level: 'Metadata' }], `GET ${pods}`, 'Metadata'));

test('rules match groups', () => check([{ level: 'Request', userGroups: ['ops', 'dev'] }], `GET ${pods}`, 'Request'));

test('rules match resources', () => {
  const rule = (...resources: string[]): AuditRule[] => [{ level: 'Request', resources: [{ group: '', resources }] }];
  check(rule('pods'), `GET ${pods}/web`, 'Request');
  check(rule('pods'), `GET ${pods}/web/log`, 'None');
  check(rule('pods/log'), `GET ${pods}/web/log`, 'Request');
  check(rule('pods/*'), `GET ${pods}/web/log`, 'Request');
  check(rule('*/log'), `GET ${pods}/web/log`, 'Request');
  check(rule('*'), `GET ${pods}/web/log`, 'Request');
  check(rule(), `GET ${pods}/web`, 'Request');
  check(rule('pods'), 'GET /apis/metrics.k8s.io/v1/pods', 'None');
  check(rule('pods'), 'GET /healthz', 'None');
});

test('rules match names and namespaces', () => {
  check([{ level: 'Request', resources: [{ resourceNames: ['web'] }] }], `GET ${pods}/web`, 'Request');
  check([{ level: 'Request', resources: [{ resourceNames: ['web'] }] }], `GET ${pods}/db`, 'None');
  check([{ level: 'Request', namespaces: ['shop'] }], `GET ${pods}`, 'Request');
  check([{ level: 'Request', namespaces: [''] }], 'GET /api/v1/nodes', 'Request');
  check([{ level: 'Request', namespaces: ['shop'] }], 'GET /api/v1/nodes', 'None');
});

test('rules match paths', () => {
  check([{ level: 'Metadata', nonResourceURLs: ['/healthz*'] }], 'GET /healthz/etcd', 'Metadata');
  check([{ level: 'Metadata', nonResourceURLs: ['/healthz'] }], 'GET /healthz/etcd', 'None');
  check([{ level: 'Metadata', nonResourceURLs: ['/healthz'] }], `GET ${pods}`, 'None');
});

test('no policy gets credentials written down', () => {
  const everything: AuditRule[] = [{ level: 'RequestResponse' }];
  check(everything, 'POST /api/v1/namespaces/shop/secrets', 'Metadata');
  check(everything, 'GET /api/v1/configmaps', 'Metadata');
  check(everything, 'POST /api/v1/namespaces/shop/serviceaccounts/default/token', 'Metadata');
  check(everything, 'POST /apis/authentication.k8s.io/v1/tokenreviews', 'Metadata');
  check(everything, 'POST /api/v1/namespaces/shop/serviceaccounts', 'RequestResponse');
});

test('a policy file is read, and a wrong one refused with the place', () => {
  const head = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' };
  const rules = [{ level: 'Request', resources: [{ group: 'apps', resources: ['deployments'] }], verbs: ['get'] }];
  expect(readAuditPolicy({ ...head, rules }).rules[0]).toMatchObject(rules[0]!);
  expect(() => readAuditPolicy({ kind: 'Policy' })).toThrow('apiVersion audit.k8s.io/v1');
  expect(() => readAuditPolicy({ ...head, rules: [] })).toThrow('rules: it has none');
  expect(() => readAuditPolicy({ ...head, rules: [{ level: 'All' }] })).toThrow('rules[0].level');
  expect(() => readAuditPolicy({ ...head, rules: [{ level: 'None', users: [1] }] })).toThrow('rules[0].users');
  expect(() => readAuditPolicy({ ...head, rules, omitStages: ['Begin'] })).toThrow('"Begin"');
  const wrong = (rule: object) => () => readAuditPolicy({ ...head, rules: [{ level: 'None', ...rule }] });
  expect(wrong({ nonResourceURLs: ['/a'], namespaces: ['b'] })).toThrow('has paths or resources, not both');
  expect(wrong({ nonResourceURLs: ['a'] })).toThrow('does not begin with a slash');
  expect(wrong({ nonResourceURLs: ['/a/*/b'] })).toThrow('not its end');
  expect(wrong({ resources: [{ group: 'apps/v1' }] })).toThrow('has a version');
  expect(wrong({ resources: [{ resourceNames: ['x'] }] })).toThrow('resources must be set too');
});
