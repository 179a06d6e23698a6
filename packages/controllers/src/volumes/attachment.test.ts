import type { PersistentVolume } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { attachmentName, isExclusive, volumeNameOnNode } from './attachment.ts';

const volume = (spec: object): PersistentVolume => ({ metadata: { name: 'v' }, spec }) as unknown as PersistentVolume;
const CSI = volume({ csi: { driver: 'hw.csi.example', volumeHandle: 'vol1' } });

test('an attachment is named after volume, driver and node', () => {
  expect(attachmentName(CSI, 'hw-att-n')).toBe('csi-63bb95833996b16d52aacbb27a15fbc0b8dd16ce33ec70bccbd80bb26560234d');
  expect(attachmentName(volume({ hostPath: { path: '/' } }), 'n')).toBeUndefined();
});

test('nodes have names of their own for volumes', () =>
  expect(volumeNameOnNode(CSI)).toBe('kubernetes.io/csi/hw.csi.example^vol1'));

test.each([
  [['ReadWriteOnce'], true],
  [['ReadWriteOncePod'], true],
  [['ReadWriteOnce', 'ReadOnlyMany'], false],
  [['ReadWriteMany'], false],
  [[], false],
])('modes %s allow one node: %s', (accessModes, expected) =>
  expect(isExclusive(volume({ accessModes }))).toBe(expected),
);
