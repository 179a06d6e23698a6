import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import type { StorageClass } from '@pintle/kinds/storage/v1';
import { parseQuantity } from '@pintle/machinery/quantity';
import { table } from '@pintle/machinery/table';
import { newestDefault } from './newest-default.ts';
import { forbid, isWriteOf } from './targets.ts';

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const FORMER_DEFAULT = 'storageclass.beta.kubernetes.io/is-default-class';
const FORMER_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Sets the default class of a claim without one. */
export function defaultStorageClassPlugin(classes: FollowedObjects<StorageClass>): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: (request) => isWriteOf(request, 'persistentvolumeclaims'),
    mutate: async ({ object }) => {
      const { spec, metadata } = object as PersistentVolumeClaim;
      if (!spec || spec.storageClassName !== undefined || metadata.annotations?.[FORMER_CLASS] !== undefined) return;
      const name = newestDefault([...(await classes.now()).values()], [DEFAULT, FORMER_DEFAULT]);
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}

/** Allows a claim to grow only when its class allows volume expansion. */
export function claimResizePlugin(classes: FollowedObjects<StorageClass>): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: (request) => isWriteOf(request, 'persistentvolumeclaims', ['UPDATE']),
    validate: async (request) => {
      const next = request.object as PersistentVolumeClaim;
      const former = request.oldObject as PersistentVolumeClaim;
      if (parseQuantity(sizeOf(next)).compare(parseQuantity(sizeOf(former))) <= 0) return;
      if (former.status?.phase !== 'Bound')
        throw forbid(request, 'Only bound persistent volume claims can be expanded');
      const name = former.metadata.annotations?.[FORMER_CLASS] ?? former.spec?.storageClassName ?? '';
      if ((await classes.now()).get(name)?.allowVolumeExpansion) return;
      throw forbid(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

function sizeOf({ spec }: PersistentVolumeClaim): string {
  return String(spec?.resources?.requests?.storage ?? '0');
}

const CLASSES = 'volumeattributesclasses.storage.k8s.io';
const PROTECTION: Readonly<Record<string, string>> = table({
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
});

/** Adds finalizers to volumes, claims and attribute classes, which stay until they are unused. */
export const storageObjectInUseProtectionPlugin: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handles: (request) =>
    isWriteOf(request, 'persistentvolumeclaims') ||
    isWriteOf(request, 'persistentvolumes') ||
    isWriteOf(request, CLASSES),
  mutate: ({ object, context }) => {
    const finalizer = PROTECTION[context.info.resource]!;
    const { metadata } = object!;
    if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  },
};
