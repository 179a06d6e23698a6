import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { PersistentVolumeSpec, TopologySelectorTerm } from '../core/v1.ts';
import type { LabelSelector, Quantity, Time } from '../meta/v1.ts';

/** How Kubernetes works with a CSI driver. Its name is that of the driver. */
export interface CSIDriver extends KubernetesObject {
  /** Says what the driver needs and can do. */
  spec: CSIDriverSpec;
}
export const CSIDriver: ResourceType<CSIDriver, 'Cluster'> = /* @__PURE__ */ resourceType<CSIDriver, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSIDriver', plural: 'csidrivers', scope: 'Cluster' });

/** A list of CSIDrivers. */
export type CSIDriverList = KubernetesList<CSIDriver>;

/** Says what a CSI driver needs and can do. */
export interface CSIDriverSpec {
  /**
   * Whether volumes are attached to a node before they are mounted. If so, Kubernetes waits for a VolumeAttachment. It
   * cannot change after creation.
   * @default true
   */
  attachRequired?: boolean;
  /**
   * When the pod's `fsGroup` changes the owner of a volume's files. `ReadWriteOnceWithFSType` does so for volumes with
   * a file system and that access mode, `File` always, `None` never.
   * @default "ReadWriteOnceWithFSType"
   */
  fsGroupPolicy?: string;
  /**
   * After how many seconds the number of volumes that a node can have is asked for anew, at least 10. Without it, it
   * is asked for once, when the driver starts.
   */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /**
   * Whether the driver is told the name, namespace, UID and service account of the pod when it mounts a volume.
   * @default false
   */
  podInfoOnMount?: boolean;
  /**
   * Whether pods with volumes of the driver stay off nodes on which it does not run. It needs a feature that is not
   * enabled by default.
   */
  preventPodSchedulingIfMissing?: boolean;
  /**
   * Whether the driver is called again from time to time to refresh mounted volumes.
   * @default false
   */
  requiresRepublish?: boolean;
  /**
   * Whether the driver's volumes can be mounted with different SELinux labels by the mount option `context`.
   * @default false
   */
  seLinuxMount?: boolean;
  /**
   * Whether tokens of `tokenRequests` are passed to the driver as secrets rather than in the volume's context. It
   * needs `tokenRequests`.
   */
  serviceAccountTokenInSecrets?: boolean;
  /**
   * Whether the scheduler looks at the driver's CSIStorageCapacity objects before it places pods whose volumes are to
   * be provisioned.
   * @default false
   */
  storageCapacity?: boolean;
  /** Tokens of the pod's service account that the driver gets when it mounts a volume, one for each audience. */
  tokenRequests?: TokenRequest[];
  /**
   * The sorts of volumes that the driver has, of `Persistent` for persistent volumes and `Ephemeral` for volumes of a
   * single pod. It cannot change after creation.
   * @default ["Persistent"]
   */
  volumeLifecycleModes?: string[];
}

/** The CSI drivers on a node. Its name is that of the node. */
export interface CSINode extends KubernetesObject {
  /** The drivers on the node. */
  spec: CSINodeSpec;
}
export const CSINode: ResourceType<CSINode, 'Cluster'> = /* @__PURE__ */ resourceType<CSINode, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSINode', plural: 'csinodes', scope: 'Cluster' });

/** A CSI driver on a node. */
export interface CSINodeDriver {
  /** How many volumes of the driver the node can have. */
  allocatable?: VolumeNodeResources;
  /** The name of the driver, as in its CSIDriver object. */
  name: string;
  /** The name of the node as the driver knows it. */
  nodeID: string;
  /** The node labels that the driver uses to say where a volume can be reached. */
  topologyKeys?: string[];
}

/** A list of CSINodes. */
export type CSINodeList = KubernetesList<CSINode>;

/** The CSI drivers on a node. */
export interface CSINodeSpec {
  /**
   * The drivers, each under a name of its own. It can be empty; entries can be added and removed, but not changed
   * except for `allocatable`.
   */
  drivers: CSINodeDriver[];
}

/** How much storage of a class a CSI driver has left in some part of the cluster. */
export interface CSIStorageCapacity extends KubernetesObject {
  /** How much storage is left. Without it, the driver does not say. */
  capacity?: Quantity;
  /** The size of the largest volume that can be made. Without it, `capacity` counts. */
  maximumVolumeSize?: Quantity;
  /**
   * Selects the nodes that can reach the storage. An empty selector selects all of them, and without a selector none
   * can. It cannot change after creation.
   */
  nodeTopology?: LabelSelector;
  /** The StorageClass that the storage is for. It cannot change after creation. */
  storageClassName: string;
}
export const CSIStorageCapacity: ResourceType<CSIStorageCapacity, 'Namespaced'> = /* @__PURE__ */ resourceType<CSIStorageCapacity, 'Namespaced'>({ group: 'storage.k8s.io', version: 'v1', kind: 'CSIStorageCapacity', plural: 'csistoragecapacities', scope: 'Namespaced' });

/** A list of CSIStorageCapacities. */
export type CSIStorageCapacityList = KubernetesList<CSIStorageCapacity>;

/** A sort of storage from which volumes are provisioned. An annotation makes one class the default. */
export interface StorageClass extends KubernetesObject {
  /** Whether claims of the class can grow. */
  allowVolumeExpansion?: boolean;
  /** The domains in which volumes may be provisioned. Without any, all of them are allowed. */
  allowedTopologies?: TopologySelectorTerm[];
  /**
   * Mount options that the class's volumes get, such as `ro` or `soft`. They are not checked; a mount with a wrong one
   * fails.
   */
  mountOptions?: string[];
  /**
   * Settings for the provisioner, whose documentation says what they mean. At most 512 of them, with 256 KiB in all.
   * It cannot change after creation.
   */
  parameters?: Record<string, string>;
  /** The name of the driver that provisions volumes. It cannot change after creation. */
  provisioner: string;
  /**
   * Says what happens to the class's volumes when their claims are deleted. It cannot change after creation.
   * - `Delete`: The volume and its storage are deleted.
   * - `Recycle`: Not allowed for a class.
   * - `Retain`: The volume stays for an administrator.
   * @default "Delete"
   */
  reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  /**
   * When claims are bound and volumes are provisioned. It cannot change after creation.
   * - `Immediate`: As soon as the claim exists.
   * - `WaitForFirstConsumer`: When a pod uses the claim, so that its node counts.
   * @default "Immediate"
   */
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
}
export const StorageClass: ResourceType<StorageClass, 'Cluster'> = /* @__PURE__ */ resourceType<StorageClass, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass', plural: 'storageclasses', scope: 'Cluster', shortNames: ['sc'] });

/** A list of StorageClasses. */
export type StorageClassList = KubernetesList<StorageClass>;

/** A token that a CSI driver gets when it mounts a volume. */
export interface TokenRequest {
  /** The recipient that the token is meant for. An empty text means the API server. */
  audience: string;
  /** For how many seconds the token is to be valid, at least 600. Without it, 3600 applies. */
  expirationSeconds?: number;
}

/** Asks for a volume to be attached to a node, and says whether it is. */
export interface VolumeAttachment extends KubernetesObject {
  /** Which volume is to be attached to which node, and by whom. It cannot change after creation. */
  spec: VolumeAttachmentSpec;
  /** Whether the volume is attached. */
  status?: VolumeAttachmentStatus;
}
export const VolumeAttachment: ResourceType<VolumeAttachment, 'Cluster'> = /* @__PURE__ */ resourceType<VolumeAttachment, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttachment', plural: 'volumeattachments', scope: 'Cluster' });

/** A list of VolumeAttachments. */
export type VolumeAttachmentList = KubernetesList<VolumeAttachment>;

/** The volume that is to be attached. Exactly one field is given. */
export interface VolumeAttachmentSource {
  /** The volume itself, in place of a stored PersistentVolume, for volumes that pods name directly. */
  inlineVolumeSpec?: PersistentVolumeSpec;
  /** The name of the PersistentVolume. */
  persistentVolumeName?: string;
}

/** Which volume is to be attached to which node, and by whom. */
export interface VolumeAttachmentSpec {
  /** The name of the CSI driver that attaches the volume. */
  attacher: string;
  /** The node that the volume is to be attached to. */
  nodeName: string;
  /** The volume that is to be attached. */
  source: VolumeAttachmentSource;
}

/** Whether a volume is attached. */
export interface VolumeAttachmentStatus {
  /** Why the last try to attach the volume failed. It is absent after a success. */
  attachError?: VolumeError;
  /** Whether the volume is attached. Only the driver's attacher sets it. */
  attached: boolean;
  /** Data from the driver that is needed to mount the volume. */
  attachmentMetadata?: Record<string, string>;
  /** Why the last try to detach the volume failed. It is absent after a success. */
  detachError?: VolumeError;
}

/** Settings of volumes that can change while they exist, such as their speed. */
export interface VolumeAttributesClass extends KubernetesObject {
  /** The name of the CSI driver that the class is for. It cannot change after creation. */
  driverName: string;
  /**
   * Settings for the driver, whose documentation says what they mean. At least one is required; at most 512 of them,
   * with 256 KiB in all. It cannot change after creation.
   */
  parameters?: Record<string, string>;
}
export const VolumeAttributesClass: ResourceType<VolumeAttributesClass, 'Cluster'> = /* @__PURE__ */ resourceType<VolumeAttributesClass, 'Cluster'>({ group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttributesClass', plural: 'volumeattributesclasses', scope: 'Cluster', shortNames: ['vac'] });

/** A list of VolumeAttributesClasses. */
export type VolumeAttributesClassList = KubernetesList<VolumeAttributesClass>;

/** Why a try to attach or detach a volume failed. */
export interface VolumeError {
  /** The gRPC code of the failure. `8`, for exhausted resources, makes the node's limits be asked for anew. */
  errorCode?: number;
  /** A description of the failure for people. It must not contain confidential data. */
  message?: string;
  /** When the failure happened. */
  time?: Time | null;
}

/** How many volumes of a driver a node can have. */
export interface VolumeNodeResources {
  /** The largest number of volumes. Without it, there is no limit. */
  count?: number;
}
