import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  ObjectFieldSelector,
  PersistentVolumeClaimSpec,
  PodSpec,
  PodTemplateSpec,
  Probe,
  ProjectedVolumeSource,
  ResourceRequirements,
  Volume,
} from '../../../generated/core/v1.ts';
import { dropAnnotations } from '../object-fields.ts';
import { roundUpAmounts } from '../quantities.ts';
import { defaultPullPolicy } from './image.ts';

/** Former annotations for init containers, of Pods and of templates. They are dropped on every write. */
export const initContainerAnnotations: readonly string[] = ['alpha', 'beta'].flatMap((stage) => [
  `pod.${stage}.kubernetes.io/init-containers`,
  `pod.${stage}.kubernetes.io/init-container-statuses`,
]);

/** Sets the defaults of a pod template; many defaults of Pods are set only when a Pod is made from it. */
export function defaultPodTemplate(template: PodTemplateSpec | undefined): void {
  dropAnnotations(template?.metadata, initContainerAnnotations);
  if (template?.spec !== undefined) defaultPodSpec(template.spec);
}

export function defaultPodSpec(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= 'default-scheduler';
  defaultServiceAccount(spec);
  spec.volumes?.forEach(defaultVolume);
  spec.initContainers?.forEach(defaultContainer);
  spec.containers?.forEach(defaultContainer);
  spec.ephemeralContainers?.forEach(defaultContainer);
  roundUpAmounts(spec.overhead);
  if (spec.resources) defaultResources(spec.resources);
}

/** The deprecated name of the field is kept in step with the new one, which wins. */
function defaultServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image);
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.resources ??= {};
  defaultResources(container.resources);
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    defaultFieldReference(valueFrom?.fieldRef);
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHttpGet(container.lifecycle?.postStart?.httpGet);
  defaultHttpGet(container.lifecycle?.preStop?.httpGet);
}

function defaultProbe(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function defaultHttpGet(action: HTTPGetAction | undefined): void {
  if (action === undefined) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function defaultResources(resources: ResourceRequirements): void {
  roundUpAmounts(resources.limits);
  roundUpAmounts(resources.requests);
}

/** 0644: readable by all, writable by the owner. */
const fileMode = 0o644;

/** A volume without a source is an empty directory. */
function defaultVolume(volume: Volume): void {
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

function defaultFieldReference(reference: ObjectFieldSelector | undefined): void {
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
