import { type FieldError, type FieldPath, invalid, required, tooLong } from '@pintle/machinery/errors';
import { byteLength, validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { PersistentVolumeSpec, SecretReference } from '../../../generated/core/v1.ts';
import { type Check, checkRequired, problems } from '../../common/checks.ts';
import { validateNoBacksteps } from '../../common/pod/validation/paths.ts';
import { validateIscsi, volumeSourceRules } from '../../common/pod/validation/volumes/volume-sources.ts';

/** The sources of a volume, in the order in which Kubernetes looks for them. */
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

/** Returns the part of a volume's spec that is its source. */
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

/** Checks a source as that of a Pod's volume, and the fields that only a PersistentVolume has. */
export function* checkVolumeSource(
  spec: PersistentVolumeSpec,
  source: VolumeSourceName,
  path: FieldPath,
  volumeName: string,
): Check {
  if (source === 'local') {
    yield* checkLocal(spec.local?.path ?? '', path.child('path'));
  } else if (source === 'csi') {
    yield* checkCsi(spec, path);
  } else if (source === 'iscsi' && spec.iscsi) {
    yield* validateIscsi(spec.iscsi, path, volumeName);
  } else {
    const rule = volumeSourceRules[source] as (value: object, path: FieldPath) => FieldError[];
    yield* rule(spec[source] ?? {}, path);
    yield* checkMore(spec, source, path);
  }
}

function* checkLocal(folder: string, path: FieldPath): Check {
  if (folder === '') yield required(path);
  else yield* validateNoBacksteps(folder, path);
}

/** Secrets and endpoints of cluster-scoped volumes need a namespace. */
function* checkMore(spec: PersistentVolumeSpec, source: VolumeSourceName, path: FieldPath): Check {
  const { cinder, storageos, azureFile, glusterfs } = spec;
  if (source === 'cinder' && cinder?.secretRef)
    yield* checkRequired(path.child('secretRef', 'namespace'), cinder.secretRef.namespace);
  if (source === 'storageos' && storageos?.secretRef)
    yield* checkRequired(path.child('secretRef', 'namespace'), storageos.secretRef.namespace);
  if (source === 'azureFile' && azureFile?.secretNamespace === '') yield required(path.child('secretNamespace'));
  if (source === 'glusterfs' && glusterfs?.endpointsNamespace !== undefined)
    yield* checkEndpointsNamespace(glusterfs.endpointsNamespace, path.child('endpointsNamespace'));
}

function* checkEndpointsNamespace(namespace: string, path: FieldPath): Check {
  if (namespace === '')
    yield invalid(path, namespace, 'if the endpointnamespace is set, it must be a valid namespace name');
  else yield* problems(path, namespace, validateDns1123Label(namespace));
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
