import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Condition, DeleteOptions, IntOrString, LabelSelector, Time } from '../meta/v1.ts';

export interface Eviction extends KubernetesObject {
  deleteOptions?: DeleteOptions;
}

export interface PodDisruptionBudget extends KubernetesObject {
  spec?: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}
export const PodDisruptionBudget: ResourceType<PodDisruptionBudget, 'Namespaced'> = /* @__PURE__ */ resourceType<PodDisruptionBudget, 'Namespaced'>({ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', scope: 'Namespaced', shortNames: ['pdb'] });

export type PodDisruptionBudgetList = KubernetesList<PodDisruptionBudget>;

export interface PodDisruptionBudgetSpec {
  maxUnavailable?: IntOrString;
  minAvailable?: IntOrString;
  selector?: LabelSelector;
  unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
}

export interface PodDisruptionBudgetStatus {
  conditions?: Condition[];
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, Time>;
  disruptionsAllowed?: number;
  expectedPods?: number;
  observedGeneration?: number;
}
