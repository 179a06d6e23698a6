import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Toleration } from '../core/v1.ts';
import type { Quantity } from '../meta/v1.ts';

export interface Overhead {
  podFixed?: Record<string, Quantity>;
}

export interface RuntimeClass extends KubernetesObject {
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}
export const RuntimeClass: ResourceType<RuntimeClass, 'Cluster'> = /* @__PURE__ */ resourceType<RuntimeClass, 'Cluster'>({ group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass', plural: 'runtimeclasses', scope: 'Cluster' });

export type RuntimeClassList = KubernetesList<RuntimeClass>;

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
}
