import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../core/v1.ts';
import type { IntOrString, LabelSelector, RawExtension, Time } from '../meta/v1.ts';

/** A former state of a StatefulSet or DaemonSet, to which it can go back. */
export interface ControllerRevision extends KubernetesObject {
  /** The state, in a form that only its controller needs to understand. It cannot change after creation. */
  data?: RawExtension;
  /** The number of the revision. The higher one is the newer one. */
  revision: number;
}
export const ControllerRevision: ResourceType<ControllerRevision, 'Namespaced'> = /* @__PURE__ */ resourceType<ControllerRevision, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'ControllerRevision', plural: 'controllerrevisions', scope: 'Namespaced' });

/** A list of ControllerRevisions. */
export type ControllerRevisionList = KubernetesList<ControllerRevision>;

/** Keeps one pod running on every node, or on every node of some sort. */
export interface DaemonSet extends KubernetesObject {
  /** How the pods are made and replaced, and on which nodes they run. */
  spec?: DaemonSetSpec;
  /** How far the DaemonSet has come. */
  status?: DaemonSetStatus;
}
export const DaemonSet: ResourceType<DaemonSet, 'Namespaced'> = /* @__PURE__ */ resourceType<DaemonSet, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', scope: 'Namespaced', shortNames: ['ds'], categories: ['all'] });

/** An observation about the state of a DaemonSet. */
export interface DaemonSetCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition in CamelCase. */
  type: string;
}

/** A list of DaemonSets. */
export type DaemonSetList = KubernetesList<DaemonSet>;

/** The desired state of a DaemonSet. */
export interface DaemonSetSpec {
  /** How many seconds a new pod must be ready, without a container ending, to count as available. */
  minReadySeconds?: number;
  /**
   * How many old ControllerRevisions are kept to go back to.
   * @default 10
   */
  revisionHistoryLimit?: number;
  /** Selects the pods of the DaemonSet. It must match the template's labels. It cannot change after creation. */
  selector: LabelSelector;
  /**
   * The template from which pods are made. Its node selector and affinity choose the nodes; its restart policy must be
   * `Always`.
   */
  template: PodTemplateSpec;
  /** How old pods give way to new ones. */
  updateStrategy?: DaemonSetUpdateStrategy;
}

/** How far a DaemonSet has come, as last seen. */
export interface DaemonSetStatus {
  /** How often the name of a new ControllerRevision was already taken. The controller makes a new name with it. */
  collisionCount?: number;
  /** Observations about the DaemonSet. */
  conditions?: DaemonSetCondition[];
  /** On how many nodes a pod runs that should. */
  currentNumberScheduled: number;
  /** On how many nodes a pod should run. */
  desiredNumberScheduled: number;
  /** On how many nodes the pod has been ready for at least `minReadySeconds`. */
  numberAvailable?: number;
  /** On how many nodes a pod runs that should not. */
  numberMisscheduled: number;
  /** On how many nodes the pod is ready. */
  numberReady: number;
  /** On how many nodes a pod should be available and is not. */
  numberUnavailable?: number;
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /** On how many nodes the pod is of the current template. */
  updatedNumberScheduled?: number;
}

/** How old pods of a DaemonSet give way to new ones. */
export interface DaemonSetUpdateStrategy {
  /** Details of the rolling update. It counts only if `type` is `RollingUpdate`. */
  rollingUpdate?: RollingUpdateDaemonSet;
  /**
   * The way in which pods are replaced.
   * - `OnDelete`: Replaces a pod only after it is deleted.
   * - `RollingUpdate`: Replaces pods gradually, within `maxSurge` and `maxUnavailable`.
   * @default "RollingUpdate"
   */
  type?: 'OnDelete' | 'RollingUpdate';
}

/** Keeps a number of equal pods running, and replaces them step by step when their template changes. */
export interface Deployment extends KubernetesObject {
  /** How many pods should run, how they are made and how they are replaced. */
  spec?: DeploymentSpec;
  /** How far the Deployment has come. */
  status?: DeploymentStatus;
}
export const Deployment: ResourceType<Deployment, 'Namespaced'> = /* @__PURE__ */ resourceType<Deployment, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', scope: 'Namespaced', shortNames: ['deploy'], categories: ['all'] });

/** An observation about the state of a Deployment. */
export interface DeploymentCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** When the condition was last written, even if only its message changed. */
  lastUpdateTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word, such as `MinimumReplicasAvailable`. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Progressing`. */
  type: string;
}

/** A list of Deployments. */
export type DeploymentList = KubernetesList<Deployment>;

/** The desired state of a Deployment. */
export interface DeploymentSpec {
  /** How many seconds a new pod must be ready, without a container ending, to count as available. */
  minReadySeconds?: number;
  /** Whether changes of the template wait. Scaling still happens while the Deployment is paused. */
  paused?: boolean;
  /**
   * How many seconds a rollout may go without progress before the condition `Progressing` turns `False`. It must
   * exceed `minReadySeconds`; time while paused does not count.
   * @default 600
   */
  progressDeadlineSeconds?: number;
  /**
   * How many pods should run. An autoscaler that targets the Deployment changes it.
   * @default 1
   */
  replicas?: number;
  /**
   * How many old ReplicaSets are kept to go back to.
   * @default 10
   */
  revisionHistoryLimit?: number;
  /**
   * Selects the pods of the Deployment. It must match the template's labels, and no other controller should select the
   * same pods. It cannot change after creation.
   */
  selector: LabelSelector;
  /** How old pods give way to new ones. */
  strategy?: DeploymentStrategy;
  /** The template from which pods are made. Its restart policy must be `Always`, and a change of it starts a rollout. */
  template: PodTemplateSpec;
}

/** How far a Deployment has come, as last seen. */
export interface DeploymentStatus {
  /** How many pods have been ready for at least `minReadySeconds`. */
  availableReplicas?: number;
  /** How often the name of a new ReplicaSet was already taken. The controller makes a new name with it. */
  collisionCount?: number;
  /** Observations such as `Available`, `Progressing` and `ReplicaFailure`. */
  conditions?: DeploymentCondition[];
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are, of all revisions and without those that end. */
  replicas?: number;
  /** How many pods are ending, but are not gone yet. */
  terminatingReplicas?: number;
  /** How many more pods would have to be available for all wanted ones to be. */
  unavailableReplicas?: number;
  /** How many pods are of the current template, without those that end. */
  updatedReplicas?: number;
}

/** How old pods give way to new ones. */
export interface DeploymentStrategy {
  /** Details of the rolling update. It is allowed only if `type` is `RollingUpdate`. */
  rollingUpdate?: RollingUpdateDeployment;
  /**
   * The way in which pods are replaced.
   * - `Recreate`: Ends all old pods before it starts new ones.
   * - `RollingUpdate`: Replaces pods gradually, within `maxSurge` and `maxUnavailable`.
   * @default "RollingUpdate"
   */
  type?: 'Recreate' | 'RollingUpdate';
}

/** Keeps a number of equal pods running. Deployments make ReplicaSets, one for each revision. */
export interface ReplicaSet extends KubernetesObject {
  /** How many pods should run, and how they are made. */
  spec?: ReplicaSetSpec;
  /** How many pods there are, as last seen. */
  status?: ReplicaSetStatus;
}
export const ReplicaSet: ResourceType<ReplicaSet, 'Namespaced'> = /* @__PURE__ */ resourceType<ReplicaSet, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', scope: 'Namespaced', shortNames: ['rs'], categories: ['all'] });

/** An observation about the state of a ReplicaSet. */
export interface ReplicaSetCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `ReplicaFailure`. */
  type: string;
}

/** A list of ReplicaSets. */
export type ReplicaSetList = KubernetesList<ReplicaSet>;

/** The desired state of a ReplicaSet. */
export interface ReplicaSetSpec {
  /** How many seconds a new pod must be ready, without a container ending, to count as available. */
  minReadySeconds?: number;
  /**
   * How many pods should run. 0 ends all of them.
   * @default 1
   */
  replicas?: number;
  /** Selects the pods that are counted. It must match the template's labels. It cannot change after creation. */
  selector: LabelSelector;
  /** The template from which pods are made, with restart policy `Always`. A change affects new pods only. */
  template?: PodTemplateSpec;
}

/** How many pods a ReplicaSet has, as last seen. */
export interface ReplicaSetStatus {
  /** How many pods have been ready for at least `minReadySeconds`. */
  availableReplicas?: number;
  /** Observations such as `ReplicaFailure`. */
  conditions?: ReplicaSetCondition[];
  /** How many pods have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are, without those that end. */
  replicas: number;
  /** How many pods are ending, but are not gone yet. */
  terminatingReplicas?: number;
}

/** How gradually a rolling update of a DaemonSet replaces pods. */
export interface RollingUpdateDaemonSet {
  /**
   * On how many nodes a new pod may run beside the old one, as a number or a percentage of the nodes that is rounded
   * up. It must be 0 unless `maxUnavailable` is.
   * @default 0
   */
  maxSurge?: IntOrString;
  /**
   * On how many nodes the pod may be unavailable during the update, as a number or a percentage of the nodes that is
   * rounded up. It must not be 0 unless `maxSurge` is given.
   * @default 1
   */
  maxUnavailable?: IntOrString;
}

/** How gradually a rolling update replaces pods. */
export interface RollingUpdateDeployment {
  /**
   * How many pods may exist above `replicas` during the update, as a number or a percentage of `replicas` that is
   * rounded up. It must not be 0 if `maxUnavailable` is.
   * @default "25%"
   */
  maxSurge?: IntOrString;
  /**
   * How many pods may be unavailable during the update, as a number or a percentage of `replicas` that is rounded
   * down. It must not be 0 if `maxSurge` is.
   * @default "25%"
   */
  maxUnavailable?: IntOrString;
}

/** How gradually a rolling update of a StatefulSet replaces pods. */
export interface RollingUpdateStatefulSetStrategy {
  /**
   * How many pods may be unavailable during the update, as a number of at least 1 or a percentage of `replicas` that
   * is rounded up. It needs a feature that is not enabled by default; without it, 1 applies.
   */
  maxUnavailable?: IntOrString;
  /**
   * The number of the first pod that is updated. Pods with lower numbers keep the old template, even if they are made
   * anew.
   * @default 0
   */
  partition?: number;
}

/** Keeps a number of pods running, each of which has a lasting name and lasting volumes. */
export interface StatefulSet extends KubernetesObject {
  /** How many pods should run, how they are made and which volumes they get. */
  spec?: StatefulSetSpec;
  /** How far the StatefulSet has come. */
  status?: StatefulSetStatus;
}
export const StatefulSet: ResourceType<StatefulSet, 'Namespaced'> = /* @__PURE__ */ resourceType<StatefulSet, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', scope: 'Namespaced', shortNames: ['sts'], categories: ['all'] });

/** An observation about the state of a StatefulSet. */
export interface StatefulSetCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition in CamelCase. */
  type: string;
}

/** A list of StatefulSets. */
export type StatefulSetList = KubernetesList<StatefulSet>;

/** How the pods of a StatefulSet are numbered. */
export interface StatefulSetOrdinals {
  /** The number of the first pod, 0 or more. Without it, numbers start at 0. */
  start?: number;
}

/** Says what happens to claims that were made from the volume claim templates of a StatefulSet. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /**
   * Says what happens to the claims when the StatefulSet is deleted, either `Retain` or `Delete`.
   * @default "Retain"
   */
  whenDeleted?: string;
  /**
   * Says what happens to the claims of pods that a scale-down ends, either `Retain` or `Delete`.
   * @default "Retain"
   */
  whenScaled?: string;
}

/** The desired state of a StatefulSet. */
export interface StatefulSetSpec {
  /** How many seconds a new pod must be ready, without a container ending, to count as available. */
  minReadySeconds?: number;
  /** How the pods are numbered. */
  ordinals?: StatefulSetOrdinals;
  /** Says what happens to the pods' claims when the StatefulSet is deleted or scaled down. Without it, they are kept. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /**
   * In which order pods are made and ended when the number of pods changes. It cannot change after creation.
   * - `OrderedReady`: One after another, each once the one before it is ready; ended in reverse.
   * - `Parallel`: All at once.
   * @default "OrderedReady"
   */
  podManagementPolicy?: 'OrderedReady' | 'Parallel';
  /**
   * How many pods should run.
   * @default 1
   */
  replicas?: number;
  /**
   * How many old ControllerRevisions are kept to go back to.
   * @default 10
   */
  revisionHistoryLimit?: number;
  /** Selects the pods of the StatefulSet. It must match the template's labels. It cannot change after creation. */
  selector: LabelSelector;
  /**
   * The name of the headless service that gives the pods DNS names of the form `POD.SERVICE.NAMESPACE.svc`. The server
   * does not check that it exists. It cannot change after creation.
   */
  serviceName?: string;
  /**
   * The template from which pods are made, under names such as `web-0`. Its restart policy must be `Always`, and a
   * change of it starts an update.
   */
  template: PodTemplateSpec;
  /** How old pods give way to new ones. */
  updateStrategy?: StatefulSetUpdateStrategy;
  /**
   * Claims that each pod gets, named after the template and the pod. They win over volumes of the same name in
   * `template`. It cannot change after creation.
   */
  volumeClaimTemplates?: PersistentVolumeClaim[];
}

/** How far a StatefulSet has come, as last seen. */
export interface StatefulSetStatus {
  /** How many pods have been ready for at least `minReadySeconds`. */
  availableReplicas?: number;
  /** How often the name of a new ControllerRevision was already taken. The controller makes a new name with it. */
  collisionCount?: number;
  /** Observations about the StatefulSet. */
  conditions?: StatefulSetCondition[];
  /** How many pods are of the revision `currentRevision`. */
  currentReplicas?: number;
  /** The revision of the pods with the lowest numbers, which are not updated yet. */
  currentRevision?: string;
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are. */
  replicas: number;
  /** The revision that pods are updated to. */
  updateRevision?: string;
  /** How many pods are of the revision `updateRevision`. */
  updatedReplicas?: number;
}

/** How old pods of a StatefulSet give way to new ones. */
export interface StatefulSetUpdateStrategy {
  /** Details of the rolling update. It is allowed only if `type` is `RollingUpdate`. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  /**
   * The way in which pods are replaced.
   * - `OnDelete`: Replaces a pod only after it is deleted.
   * - `RollingUpdate`: Replaces pods one after another, from the highest number down.
   * @default "RollingUpdate"
   */
  type?: 'OnDelete' | 'RollingUpdate';
}
