import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../core/v1.ts';
import type { IntOrString, LabelSelector, RawExtension, Time } from '../meta/v1.ts';

export interface ControllerRevision extends KubernetesObject {
  data?: RawExtension;
  revision: number;
}
export const ControllerRevision: ResourceType<ControllerRevision, 'Namespaced'> = /* @__PURE__ */ resourceType<ControllerRevision, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'ControllerRevision', plural: 'controllerrevisions', scope: 'Namespaced' });

export type ControllerRevisionList = KubernetesList<ControllerRevision>;

export interface DaemonSet extends KubernetesObject {
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
}
export const DaemonSet: ResourceType<DaemonSet, 'Namespaced'> = /* @__PURE__ */ resourceType<DaemonSet, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', scope: 'Namespaced', shortNames: ['ds'], categories: ['all'] });

export interface DaemonSetCondition {
  lastTransitionTime?: Time | null;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

export type DaemonSetList = KubernetesList<DaemonSet>;

export interface DaemonSetSpec {
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
}

export interface DaemonSetStatus {
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
  currentNumberScheduled: number;
  desiredNumberScheduled: number;
  numberAvailable?: number;
  numberMisscheduled: number;
  numberReady: number;
  numberUnavailable?: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
}

export interface DaemonSetUpdateStrategy {
  rollingUpdate?: RollingUpdateDaemonSet;
  type?: 'OnDelete' | 'RollingUpdate';
}

export interface Deployment extends KubernetesObject {
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
}
export const Deployment: ResourceType<Deployment, 'Namespaced'> = /* @__PURE__ */ resourceType<Deployment, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', scope: 'Namespaced', shortNames: ['deploy'], categories: ['all'] });

export interface DeploymentCondition {
  lastTransitionTime?: Time | null;
  lastUpdateTime?: Time | null;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

export type DeploymentList = KubernetesList<Deployment>;

export interface DeploymentSpec {
  minReadySeconds?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  strategy?: DeploymentStrategy;
  template: PodTemplateSpec;
}

export interface DeploymentStatus {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: DeploymentCondition[];
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  terminatingReplicas?: number;
  unavailableReplicas?: number;
  updatedReplicas?: number;
}

export interface DeploymentStrategy {
  rollingUpdate?: RollingUpdateDeployment;
  type?: 'Recreate' | 'RollingUpdate';
}

export interface ReplicaSet extends KubernetesObject {
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}
export const ReplicaSet: ResourceType<ReplicaSet, 'Namespaced'> = /* @__PURE__ */ resourceType<ReplicaSet, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', scope: 'Namespaced', shortNames: ['rs'], categories: ['all'] });

export interface ReplicaSetCondition {
  lastTransitionTime?: Time | null;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

export type ReplicaSetList = KubernetesList<ReplicaSet>;

export interface ReplicaSetSpec {
  minReadySeconds?: number;
  replicas?: number;
  selector: LabelSelector;
  template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  availableReplicas?: number;
  conditions?: ReplicaSetCondition[];
  fullyLabeledReplicas?: number;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  terminatingReplicas?: number;
}

export interface RollingUpdateDaemonSet {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
}

export interface RollingUpdateDeployment {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  maxUnavailable?: IntOrString;
  partition?: number;
}

export interface StatefulSet extends KubernetesObject {
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
}
export const StatefulSet: ResourceType<StatefulSet, 'Namespaced'> = /* @__PURE__ */ resourceType<StatefulSet, 'Namespaced'>({ group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', scope: 'Namespaced', shortNames: ['sts'], categories: ['all'] });

export interface StatefulSetCondition {
  lastTransitionTime?: Time | null;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

export type StatefulSetList = KubernetesList<StatefulSet>;

export interface StatefulSetOrdinals {
  start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string;
  whenScaled?: string;
}

export interface StatefulSetSpec {
  minReadySeconds?: number;
  ordinals?: StatefulSetOrdinals;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  podManagementPolicy?: 'OrderedReady' | 'Parallel';
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  serviceName?: string;
  template: PodTemplateSpec;
  updateStrategy?: StatefulSetUpdateStrategy;
  volumeClaimTemplates?: PersistentVolumeClaim[];
}

export interface StatefulSetStatus {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  currentReplicas?: number;
  currentRevision?: string;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  updateRevision?: string;
  updatedReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  type?: 'OnDelete' | 'RollingUpdate';
}
