import { expect, test } from 'vitest';
import type { KubeObject } from '../api/objects.ts';
import { type AccessQuery, whoCan } from './who-can.ts';

const object = (name: string, namespace: string, rest: object): KubeObject => ({
  metadata: { name, uid: name, resourceVersion: '1', ...(namespace !== '' && { namespace }) },
  ...rest,
});
const rule = (verbs: string, apiGroups: string, resources: string, more: object = {}) => ({
  verbs: verbs.split(' '),
  apiGroups: apiGroups.split(' '),
  resources: resources.split(' '),
  ...more,
});
const user = (name: string) => ({ kind: 'User', name });
const reference = (kind: string, name: string) => ({ roleRef: { kind, name } });

const OBJECTS = {
  clusterRoles: [
    object('admin', '', { rules: [rule('*', '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }] }),
    object('reader', '', { rules: [rule('get list', '', 'pods pods/log')] }),
    object('named', '', { rules: [rule('get', '', 'secrets', { resourceNames: ['one', 'two'] })] }),
    object('logs', '', { rules: [rule('get', '', '*/log'), { verbs: ['get'], nonResourceURLs: ['/health*'] }] }),
  ],
  roles: [object('local', 'a', { rules: [rule('get', '', 'pods')] })],
  clusterRoleBindings: [
    object('admins', '', { ...reference('ClusterRole', 'admin'), subjects: [{ kind: 'Group', name: 'admins' }] }),
    object('names', '', { ...reference('ClusterRole', 'named'), subjects: [user('nell')] }),
    object('logs', '', { ...reference('ClusterRole', 'logs'), subjects: [user('lou')] }),
  ],
  roleBindings: [
    object('readers', 'a', { ...reference('ClusterRole', 'reader'), subjects: [user('ann')] }),
    object('readers', 'b', { ...reference('ClusterRole', 'reader'), subjects: [user('bob')] }),
    object('local', 'a', { ...reference('Role', 'local'), subjects: [{ kind: 'ServiceAccount', name: 'bot' }] }),
    object('lost', 'a', { ...reference('ClusterRole', 'gone'), subjects: [user('zed')] }),
  ],
};

const ask = (deed: Partial<AccessQuery>): string[] =>
  whoCan({ verb: 'get', group: '', resource: 'pods', namespace: '', name: '', ...deed }, OBJECTS).map(
    ({ subject, binding, names }) =>
      `${subject.namespace && `${subject.namespace}/`}${subject.name} by ${binding.name}${names.length > 0 ? ` of ${names}` : ''}`,
  );

test.each<[string, Partial<AccessQuery>, string[]]>([
  ['in a namespace', { namespace: 'a' }, ['ann by readers', 'admins by admins', 'a/bot by local']],
  ['in all namespaces', {}, ['admins by admins']],
  ['a verb that only a star has', { namespace: 'a', verb: 'delete' }, ['admins by admins']],
  ['a subresource', { namespace: 'b', resource: 'pods/log' }, ['bob by readers', 'lou by logs', 'admins by admins']],
  ['another group', { namespace: 'a', group: 'apps' }, ['admins by admins']],
  ['some names', { resource: 'secrets' }, ['nell by names of one,two', 'admins by admins']],
  ['a name', { resource: 'secrets', name: 'two' }, ['nell by names of one,two', 'admins by admins']],
  ['another name', { resource: 'secrets', name: 'three' }, ['admins by admins']],
  ['a path', { resource: '/healthz' }, ['lou by logs', 'admins by admins']],
])('who can: %s', (_, deed, expected) => expect(ask(deed)).toEqual(expected));
