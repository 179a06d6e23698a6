import { createHash } from 'node:crypto';
import type { PersistentVolume } from '@pintle/kinds/core/v1';

/** What Kubernetes names the attachment of a volume to a node; `undefined` of volumes that no driver attaches. */
export function attachmentName({ spec }: PersistentVolume, node: string): string | undefined {
  if (spec?.csi === undefined) return undefined;
  const { volumeHandle, driver } = spec.csi;
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}

/** What a node calls the volume. */
export function volumeNameOnNode({ spec }: PersistentVolume): string {
  return `kubernetes.io/csi/${spec?.csi?.driver}^${spec?.csi?.volumeHandle}`;
}

/** Whether only one node at a time may have it. */
export function isExclusive({ spec }: PersistentVolume): boolean {
  const modes = spec?.accessModes ?? [];
  return modes.length > 0 && !modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}
