import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Toleration } from '../core/v1.ts';
import type { Quantity } from '../meta/v1.ts';

/** Resources that a pod needs beyond its containers. */
export interface Overhead {
  /** The amounts that each pod needs, which admission copies into its `overhead`. */
  podFixed?: Record<string, Quantity>;
}

/** A configuration of the container runtime that pods can choose. */
export interface RuntimeClass extends KubernetesObject {
  /** The name of the configuration at the container runtime of the nodes, a DNS label. It cannot change after creation. */
  handler: string;
  /** Resources that each pod of the class needs beyond its containers. */
  overhead?: Overhead;
  /** Which nodes support the class. Without it, all nodes are taken to support it. */
  scheduling?: Scheduling;
}
export const RuntimeClass: ResourceType<RuntimeClass, 'Cluster'> = /* @__PURE__ */ resourceType<RuntimeClass, 'Cluster'>({ group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', plural: 'runtimeclasses', scope: 'Cluster' });

/** A list of RuntimeClasses. */
export type RuntimeClassList = KubernetesList<RuntimeClass>;

/** Which nodes support a RuntimeClass. */
export interface Scheduling {
  /** Labels of the nodes. Admission adds them to the pod's own; a pod that contradicts them is refused. */
  nodeSelector?: Record<string, string>;
  /** Tolerations that admission adds to the pod's own. */
  tolerations?: Toleration[];
}
