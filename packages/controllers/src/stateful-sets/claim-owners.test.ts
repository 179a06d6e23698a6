import type { StatefulSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import type { OwnerReference } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { hasForeignController, ownersToSet } from './claim-owners.ts';

const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'db-1', uid: 'pod' } };
const setThat = (whenDeleted: string, whenScaled: string): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', uid: 'set' },
  spec: {
    replicas: 2,
    selector: {},
    serviceName: '',
    template: {},
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  },
});
const ref = (uid: string, fields: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: uid === 'pod' ? 'v1' : 'apps/v1',
  kind: uid === 'pod' ? 'Pod' : 'StatefulSet',
  name: uid === 'pod' ? 'db-1' : 'db',
  uid,
  controller: true,
  blockOwnerDeletion: true,
  ...fields,
});
const other = ref('other', { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' });
const loose = { ...other, controller: false };

test.each<[string, string, string, number, OwnerReference[], string[] | undefined]>([
  ['goes with the set', 'Delete', 'Retain', 1, [], ['set']],
  ['goes with the pod that is one too many', 'Delete', 'Delete', 2, [ref('set')], ['pod']],
  ['is kept', 'Retain', 'Retain', 1, [ref('set'), loose], ['other']],
  ['is kept beside another controller', 'Retain', 'Retain', 1, [other], undefined],
  ['is as it should be', 'Delete', 'Retain', 1, [loose, ref('set')], undefined],
  [
    'was made to go with the set, but is not controlled',
    'Delete',
    'Retain',
    1,
    [ref('set', { controller: false })],
    ['set'],
  ],
  ['belongs to a former set', 'Delete', 'Retain', 1, [ref('former')], undefined],
  ['is controlled by another', 'Delete', 'Retain', 1, [other], undefined],
  ['is controlled by another and the set', 'Delete', 'Retain', 1, [other, ref('set')], ['other']],
])('a claim that %s', (_, whenDeleted, whenScaled, ordinal, ownerReferences, uids) => {
  const owners = ownersToSet(setThat(whenDeleted, whenScaled), pod, ordinal, { ownerReferences });
  expect(owners?.map(({ uid }) => uid)).toEqual(uids);
});

test('a controller is foreign only where the set would say what becomes of a claim', () => {
  const claim = { ownerReferences: [other] };
  expect(hasForeignController(setThat('Retain', 'Retain'), pod, claim)).toBe(false);
  expect(hasForeignController(setThat('Retain', 'Delete'), pod, claim)).toBe(true);
  expect(hasForeignController(setThat('Delete', 'Retain'), pod, { ownerReferences: [ref('former')] })).toBe(true);
});
