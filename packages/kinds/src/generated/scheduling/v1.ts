import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';

/** A named priority for pods. */
export interface PriorityClass extends KubernetesObject {
  /** An explanation for people of when the class is to be used. */
  description?: string;
  /**
   * Whether pods without a class get this one. Admission allows one such class; if there are several all the same, the
   * lowest value counts.
   */
  globalDefault?: boolean;
  /**
   * Whether pods of the class may take the place of pods of lower priority. It cannot change after creation.
   * - `Never`: They wait for room, though before others.
   * - `PreemptLowerPriority`: They have pods of lower priority evicted.
   * @default "PreemptLowerPriority"
   */
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  /**
   * The priority as a number; more is more important. Values above 1000000000 are kept for the classes whose names
   * begin with `system-`. It cannot change after creation.
   */
  value?: number;
}
export const PriorityClass: ResourceType<PriorityClass, 'Cluster'> = /* @__PURE__ */ resourceType<PriorityClass, 'Cluster'>({ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass', plural: 'priorityclasses', scope: 'Cluster', shortNames: ['pc'] });

/** A list of PriorityClasses. */
export type PriorityClassList = KubernetesList<PriorityClass>;
