import { createHash } from 'node:crypto';
import type { PersistentVolume } from '@pintle/kinds/core/v1';

/** Returns the name of the VolumeAttachment as Kubernetes forms it; `undefined` when no driver attaches the volume. */
export function attachmentName({ spec }: PersistentVolume, node: string): string | undefined {
  if (spec?.csi === undefined) return undefined;
  const { volumeHandle, driver } = spec.csi;
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}

/** Returns the volume's name in the node's status. */
export function volumeNameOnNode({ spec }: PersistentVolume): string {
  return `kubernetes.io/csi/${spec?.csi?.driver}^${spec?.csi?.volumeHandle}`;
}

/** True when only one node at a time may have it. */
export function isExclusive({ spec }: PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}
