import { type FieldError, type FieldPath, notSupported } from '@pintle/machinery/errors';
import type { AzureDiskVolumeSource } from '../../../generated/core/v1.ts';
import { requiredText, supportedValue } from './checks.ts';

const managedUri = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function validateAzureDisk(disk: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...requiredText(disk.diskName, path.child('diskName')),
    ...requiredText(disk.diskURI, path.child('diskURI')),
    ...supportedValue(disk.cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode')),
    ...supportedValue(disk.kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind')),
    ...validateUri(disk, path.child('diskURI')),
  ];
}

function validateUri({ kind, diskURI = '' }: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  if (kind === undefined) return [];
  const isManaged = kind === 'Managed';
  if (diskURI.startsWith(isManaged ? '/subscriptions/' : 'https://')) return [];
  return [notSupported(path, diskURI, [isManaged ? managedUri : blobUri])];
}
