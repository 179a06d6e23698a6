import type { UserInfo } from '@pintle/apiserver';
import type { ResourceRequest } from '@pintle/apiserver/request';
import type { RequestContext } from '@pintle/apiserver/resource';
import type { ResourceClaim } from '@pintle/kinds/resource/v1';
import { describe, expect, test } from 'vitest';
import { checkStatusPermissions } from './claim-permissions.ts';

type Status = NonNullable<ResourceClaim['status']>;

const allocation = {
  devices: { results: [] },
  nodeSelector: {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n1'] }] }],
  },
};
const device = (driver: string) => ({ driver, pool: 'p', device: 'd' });
const jane: UserInfo = { username: 'jane', groups: [] };
const agentOn = (node: string): UserInfo => ({
  username: 'system:serviceaccount:default:agent',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': [node] },
});

/** What is wrong with a patch of the status by a user who has these permissions: `verb subresource name`. */
async function problems(previous: Status, next: Status, user: UserInfo = jane, ...held: string[]): Promise<string[]> {
  const authorize = (_user: UserInfo, { verb, subresource, name, namespace }: ResourceRequest) => ({
    allowed: held.includes([verb, subresource, namespace, name].filter(Boolean).join(' ')),
    reason: '',
  });
  const info = { verb: 'patch', group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims', namespace: 'ns' };
  const context = { authorizer: { authorize }, user, info } as unknown as RequestContext;
  const claim = (status: Status) => ({ metadata: { name: 'c' }, spec: {}, status }) as unknown as ResourceClaim;
  const errors = await checkStatusPermissions(context, claim(next), claim(previous));
  return errors.map(({ field, body }) => `${field}: ${body}`);
}

describe('the status of a claim', () => {
  test('is bound by those who may bind claims everywhere', async () => {
    expect(await problems({}, { allocation })).toEqual([
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: resourceclaims.resource.k8s.io is forbidden: User "jane" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope',
    ]);
    expect(await problems({}, { allocation }, jane, 'patch binding')).toEqual([]);
    const reservedFor = [{ resource: 'pods', name: 'p', uid: 'u' }];
    expect(await problems({ allocation, reservedFor }, { allocation })).toHaveLength(1);
    expect(await problems({ allocation, reservedFor: [] }, { allocation })).toEqual([]);
  });

  test('tells of devices what their drivers say, once it is allocated', async () => {
    const both = { allocation, devices: [device('b'), device('a')] };
    expect(await problems({ allocation }, both)).toEqual(
      ['a', 'b'].map(
        (driver) =>
          `status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: resourceclaims.resource.k8s.io "${driver}" is forbidden: User "jane" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "ns"`,
      ),
    );
    expect(
      await problems({ allocation, devices: [device('b')] }, both, jane, 'arbitrary-node:patch driver ns a'),
    ).toEqual([]);
    expect(
      await problems(both, { allocation, devices: [device('a')] }, jane, 'arbitrary-node:patch driver ns a'),
    ).toHaveLength(1);
    expect(await problems({}, { devices: [device('a')] })).toEqual([]);
  });

  test('is told by accounts on its node with less', async () => {
    const told = { allocation, devices: [device('a')] };
    const less = 'associated-node:patch driver ns a';
    expect(await problems({ allocation }, told, agentOn('n1'), less)).toEqual([]);
    expect(await problems({ allocation }, told, agentOn('n1'), 'arbitrary-node:patch driver ns a')).toEqual([]);
    const [there] = await problems({ allocation }, told, agentOn('n1'));
    expect(there).toContain('verb="[associated-node:patch arbitrary-node:patch]"');
    expect(there).toContain('cannot associated-node:patch resource');
    const [elsewhere] = await problems({ allocation }, told, agentOn('n2'), less);
    expect(elsewhere).toContain('verb="[arbitrary-node:patch]"');
  });
});
