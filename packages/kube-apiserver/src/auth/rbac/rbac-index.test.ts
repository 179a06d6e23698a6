import { toRequest } from '@pintle/apiserver/auth';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { KubernetesObject } from '@pintle/machinery';
import type { Revision, StoreRecord } from '@pintle/store';
import { expect, test } from 'vitest';
import { RBAC_GROUP } from './known-binding.ts';
import { RbacIndex } from './rbac-index.ts';

const RULES = 100;
const GROUPS = 1000;

function recordOf(plural: string, kind: string, name: string, more: object): StoreRecord {
  const metadata = { namespace: 'web', name };
  const object = { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata, ...more } as unknown as KubernetesObject;
  const key = objectKey({ group: RBAC_GROUP, resource: plural }, 'web', name);
  return { key, value: encodeObject(object), modRevision: 1 as Revision, createRevision: 1 as Revision, version: 1 };
}

/** A role of many rules, none of which allows the question, that is bound to each of the groups by two bindings. */
function indexOf(groups: readonly string[]): RbacIndex {
  const rules = Array.from({ length: RULES }, (_, i) => ({
    verbs: ['get'],
    apiGroups: [''],
    resources: ['pods'],
    resourceNames: [`pod-${i}`],
  }));
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'Role', name: 'wide' };
  const subjects = groups.map((name) => ({ apiGroup: RBAC_GROUP, kind: 'Group', name }));
  const index = new RbacIndex();
  index.put(recordOf('roles', 'Role', 'wide', { rules }));
  for (const name of ['one', 'two']) index.put(recordOf('rolebindings', 'RoleBinding', name, { roleRef, subjects }));
  return index;
}

const named = Array.from({ length: GROUPS }, (_, i) => `group-${i}`);

test.each([
  ['one group many times', ['group-0'], Array<string>(GROUPS).fill('group-0')],
  ['many groups of one binding', named, named],
])('a user who names %s has each rule looked at once', (_what, bound, groups) => {
  const index = indexOf(bound);
  let looks = 0;
  const question = {
    ...toRequest({ verb: 'get', group: '', resource: 'pods', namespace: 'web', name: 'other' }),
    get verb() {
      looks++;
      return 'get' as const;
    },
  };

  expect(index.reasonFor({ username: 'ann', groups }, question)).toBeUndefined();
  expect(looks).toBe(RULES);
});
