import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.ts';
import type { LabelSelector, Quantity, Time } from '../meta/v1.ts';

export interface CSIDriver extends KubernetesObject {
  spec: CSIDriverSpec;
}
export const CSIDriver: ResourceType<CSIDriver, 'Cluster'> = /* @__PURE__ */ resourceType<CSIDriver, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSIDriver', plural: 'csidrivers', scope: 'Cluster' });

export type CSIDriverList = KubernetesList<CSIDriver>;

export interface CSIDriverSpec {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  nodeAllocatableUpdatePeriodSeconds?: number;
  podInfoOnMount?: boolean;
  preventPodSchedulingIfMissing?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  serviceAccountTokenInSecrets?: boolean;
  storageCapacity?: boolean;
  tokenRequests?: TokenRequest[];
  volumeLifecycleModes?: string[];
}

export interface CSINode extends KubernetesObject {
  spec: CSINodeSpec;
}
export const CSINode: ResourceType<CSINode, 'Cluster'> = /* @__PURE__ */ resourceType<CSINode, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSINode', plural: 'csinodes', scope: 'Cluster' });

export interface CSINodeDriver {
  allocatable?: VolumeNodeResources;
  name: string;
  nodeID: string;
  topologyKeys?: string[];
}

export type CSINodeList = KubernetesList<CSINode>;

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

export interface CSIStorageCapacity extends KubernetesObject {
  capacity?: Quantity;
  maximumVolumeSize?: Quantity;
  nodeTopology?: LabelSelector;
  storageClassName: string;
}
export const CSIStorageCapacity: ResourceType<CSIStorageCapacity, 'Namespaced'> = /* @__PURE__ */ resourceType<CSIStorageCapacity, 'Namespaced'>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSIStorageCapacity', plural: 'csistoragecapacities', scope: 'Namespaced' });

export type CSIStorageCapacityList = KubernetesList<CSIStorageCapacity>;

export interface StorageClass extends KubernetesObject {
  allowVolumeExpansion?: boolean;
  allowedTopologies?: TopologySelectorTerm[];
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner: string;
  reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
}
export const StorageClass: ResourceType<StorageClass, 'Cluster'> = /* @__PURE__ */ resourceType<StorageClass, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass', plural: 'storageclasses', scope: 'Cluster', shortNames: ['sc'] });

export type StorageClassList = KubernetesList<StorageClass>;

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment extends KubernetesObject {
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}
export const VolumeAttachment: ResourceType<VolumeAttachment, 'Cluster'> = /* @__PURE__ */ resourceType<VolumeAttachment, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttachment', plural: 'volumeattachments', scope: 'Cluster' });

export type VolumeAttachmentList = KubernetesList<VolumeAttachment>;

export interface VolumeAttachmentSource {
  inlineVolumeSpec?: PersistentVolumeSpec;
  persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  nodeName: string;
  source: VolumeAttachmentSource;
}

export interface VolumeAttachmentStatus {
  attachError?: VolumeError;
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass extends KubernetesObject {
  driverName: string;
  parameters?: Record<string, string>;
}
export const VolumeAttributesClass: ResourceType<VolumeAttributesClass, 'Cluster'> = /* @__PURE__ */ resourceType<VolumeAttributesClass, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttributesClass', plural: 'volumeattributesclasses', scope: 'Cluster', shortNames: ['vac'] });

export type VolumeAttributesClassList = KubernetesList<VolumeAttributesClass>;

export interface VolumeError {
  errorCode?: number;
  message?: string;
  time?: Time | null;
}

export interface VolumeNodeResources {
  count?: number;
}
