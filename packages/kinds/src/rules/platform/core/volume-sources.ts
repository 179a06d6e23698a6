import type { FieldPath } from '@pintle/machinery/errors';
import { invalid, notSupported, required, tooLong } from '@pintle/machinery/errors';
import { byteLength, validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { PersistentVolumeSpec, SecretReference } from '../../../generated/core/v1.ts';
import type { Check } from '../../common/checks.ts';
import { checkRequired, problems } from '../../common/checks.ts';

/** What a volume can be backed by, in the order Kubernetes looks for it. */
export const volumeSources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

export type VolumeSourceName = (typeof volumeSources)[number];

/** The part of a volume's spec that says what it is backed by. */
export function sourceOf(spec: PersistentVolumeSpec): PersistentVolumeSpec {
  const present = volumeSources.filter((source) => spec[source] !== undefined);
  return Object.fromEntries(present.map((source) => [source, spec[source]]));
}

export function defaultVolumeSource(spec: PersistentVolumeSpec): void {
  const { hostPath, iscsi, rbd, scaleIO, azureDisk } = spec;
  if (hostPath) hostPath.type ??= '';
  if (iscsi) iscsi.iscsiInterface ??= 'default';
  if (rbd) {
    rbd.pool ??= 'rbd';
    rbd.user ??= 'admin';
    rbd.keyring ??= '/etc/ceph/keyring';
  }
  if (scaleIO) {
    scaleIO.storageMode ??= 'ThinProvisioned';
    scaleIO.fsType ??= 'xfs';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
}

export function isBackedByHostRoot({ hostPath }: PersistentVolumeSpec): boolean {
  if (!hostPath?.path.startsWith('/')) return false;
  let depth = 0;
  for (const part of hostPath.path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1);
    else if (part !== '' && part !== '.') depth++;
  }
  return depth === 0;
}

/** The sources in common use are looked into; those that no longer exist outside of old clusters are taken as they are. */
export function* checkVolumeSource(spec: PersistentVolumeSpec, source: VolumeSourceName, path: FieldPath): Check {
  switch (source) {
    case 'hostPath':
      yield* checkRequired(path.child('path'), spec.hostPath?.path);
      yield* checkNoBacksteps(path.child('path'), spec.hostPath?.path ?? '');
      yield* checkHostPathType(path.child('type'), spec.hostPath?.type ?? '');
      break;
    case 'nfs':
      yield* checkRequired(path.child('server'), spec.nfs?.server);
      yield* checkRequired(path.child('path'), spec.nfs?.path);
      if (!spec.nfs?.path.startsWith('/'))
        yield invalid(path.child('path'), spec.nfs?.path ?? '', 'must be an absolute path');
      break;
    case 'local':
      yield* checkRequired(path.child('path'), spec.local?.path);
      yield* checkNoBacksteps(path.child('path'), spec.local?.path ?? '');
      break;
    case 'csi':
      yield* checkCsi(spec, path);
      break;
  }
}

function* checkNoBacksteps(path: FieldPath, value: string): Check {
  if (value.split('/').includes('..')) yield invalid(path, value, "must not contain '..'");
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function* checkHostPathType(path: FieldPath, type: string): Check {
  if (!hostPathTypes.includes(type)) yield notSupported(path, type, hostPathTypes);
}

const secretRefs = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function* checkCsi({ csi }: PersistentVolumeSpec, path: FieldPath): Check {
  if (csi === undefined) return;
  yield* checkCsiDriverName(csi.driver, path.child('driver'));
  yield* checkRequired(path.child('volumeHandle'), csi.volumeHandle);
  for (const field of secretRefs) {
    const ref = csi[field];
    if (ref !== undefined) yield* checkSecretReference(ref, path.child(field));
  }
}

function* checkSecretReference({ name, namespace }: SecretReference, path: FieldPath): Check {
  if (!name) yield required(path.child('name'));
  else yield* problems(path.child('name'), name, validateDns1123Subdomain(name));
  if (!namespace) yield required(path.child('namespace'));
  else yield* problems(path.child('namespace'), namespace, validateDns1123Label(namespace));
}

const driverNameMaxBytes = 63;

export function* checkCsiDriverName(name: string, path: FieldPath): Check {
  if (name === '') {
    yield required(path);
    return;
  }
  if (byteLength(name) > driverNameMaxBytes) yield tooLong(path, driverNameMaxBytes);
  yield* problems(path, name, validateDns1123Subdomain(name.toLowerCase()));
}
