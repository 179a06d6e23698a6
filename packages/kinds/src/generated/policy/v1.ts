import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Condition, DeleteOptions, IntOrString, LabelSelector, Time } from '../meta/v1.ts';

/** Asks for a pod to be deleted if its disruption budgets allow it. It is created at the pod's subresource `eviction`. */
export interface Eviction extends KubernetesObject {
  /** How the pod is to be deleted. */
  deleteOptions?: DeleteOptions;
}

/** How many pods of a set must stay when pods are evicted on purpose, as for the maintenance of a node. */
export interface PodDisruptionBudget extends KubernetesObject {
  /** Which pods are protected, and how many of them may be unavailable. */
  spec?: PodDisruptionBudgetSpec;
  /** How many evictions are possible at present. */
  status?: PodDisruptionBudgetStatus;
}
export const PodDisruptionBudget: ResourceType<PodDisruptionBudget, 'Namespaced'> = /* @__PURE__ */ resourceType<PodDisruptionBudget, 'Namespaced'>({ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', scope: 'Namespaced', shortNames: ['pdb'] });

/** A list of PodDisruptionBudgets. */
export type PodDisruptionBudgetList = KubernetesList<PodDisruptionBudget>;

/** Which pods are protected, and how many of them may be unavailable. */
export interface PodDisruptionBudgetSpec {
  /**
   * How many pods may be unavailable after an eviction, as a number or a percentage of the wanted pods that is rounded
   * up. 0 forbids evictions; it excludes `minAvailable`.
   */
  maxUnavailable?: IntOrString;
  /**
   * How many pods must be available after an eviction, as a number or a percentage of the wanted pods that is rounded
   * up. `100%` forbids evictions; it excludes `maxUnavailable`.
   */
  minAvailable?: IntOrString;
  /** Selects the pods in the namespace. An empty selector selects all of them, and without a selector none is. */
  selector?: LabelSelector;
  /**
   * Whether running pods that are not ready can be evicted. Without it, `IfHealthyBudget` applies.
   * - `AlwaysAllow`: Always.
   * - `IfHealthyBudget`: If enough other pods are healthy.
   */
  unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget';
}

/** How many evictions are possible at present. */
export interface PodDisruptionBudgetStatus {
  /** Observations such as `DisruptionAllowed`. */
  conditions?: Condition[];
  /** How many pods are healthy. */
  currentHealthy?: number;
  /** How many pods must be healthy. */
  desiredHealthy?: number;
  /**
   * Pods whose eviction was granted and that are not gone yet, by name, with the time of the eviction. They count as
   * unavailable.
   */
  disruptedPods?: Record<string, Time>;
  /** How many pods can be evicted at present. */
  disruptionsAllowed?: number;
  /** How many pods the budget counts. */
  expectedPods?: number;
  /** The `metadata.generation` that the controller acted on last. Evictions are refused while it is behind. */
  observedGeneration?: number;
}
