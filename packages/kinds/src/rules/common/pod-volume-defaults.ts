import type {
  ObjectFieldSelector,
  PersistentVolumeClaimSpec,
  ProjectedVolumeSource,
  Volume,
} from '../../generated/core/v1.ts';
import { defaultPullPolicy } from './pod-image.ts';
import { roundUpAmounts } from './pod-quantities.ts';

/** 0644: readable by all, writable by the owner. */
const fileMode = 0o644;

/** A volume without a source is an empty directory. */
export function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected])
    if (source) source.defaultMode ??= fileMode;
  for (const { fieldRef } of volume.downwardAPI?.items ?? []) defaultFieldReference(fieldRef);
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.projected) defaultProjections(volume.projected);
  if (volume.image) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference);
  if (volume.ephemeral?.volumeClaimTemplate) defaultClaimSpec(volume.ephemeral.volumeClaimTemplate.spec);
  defaultForeignVolume(volume);
}

export function defaultFieldReference(reference: ObjectFieldSelector | undefined): void {
  if (reference) reference.apiVersion ||= 'v1';
}

export function defaultClaimSpec(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  roundUpAmounts(spec.resources?.limits);
  roundUpAmounts(spec.resources?.requests);
}

function defaultProjections(projected: ProjectedVolumeSource): void {
  for (const { downwardAPI, serviceAccountToken } of projected.sources ?? []) {
    for (const { fieldRef } of downwardAPI?.items ?? []) defaultFieldReference(fieldRef);
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
  }
}

function defaultForeignVolume({ iscsi, rbd, azureDisk, scaleIO }: Volume): void {
  if (iscsi) iscsi.iscsiInterface ||= 'default';
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= 'Shared';
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}
