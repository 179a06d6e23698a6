import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';

export interface PriorityClass extends KubernetesObject {
  description?: string;
  globalDefault?: boolean;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  value?: number;
}
export const PriorityClass: ResourceType<PriorityClass, 'Cluster'> = /* @__PURE__ */ resourceType<PriorityClass, 'Cluster'>({ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass', plural: 'priorityclasses', scope: 'Cluster', shortNames: ['pc'] });

export type PriorityClassList = KubernetesList<PriorityClass>;
