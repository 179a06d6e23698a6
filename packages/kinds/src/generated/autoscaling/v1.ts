import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

/** An object in the same namespace, by kind and name. */
export interface CrossVersionObjectReference {
  /** The group and version of the object's kind. */
  apiVersion?: string;
  /** The kind of the object. */
  kind: string;
  /** The name of the object. */
  name: string;
}

/** Scales a workload by the CPU use of its pods. The version `autoscaling/v2` knows other metrics too. */
export interface HorizontalPodAutoscaler extends KubernetesObject {
  /** Says what is scaled, by which measure and within which bounds. */
  spec: HorizontalPodAutoscalerSpec;
  /** How many pods there are, and how many there should be. */
  status?: HorizontalPodAutoscalerStatus;
}
export const HorizontalPodAutoscaler: ResourceType<HorizontalPodAutoscaler, 'Namespaced'> = /* @__PURE__ */ resourceType<HorizontalPodAutoscaler, 'Namespaced'>({ group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers', scope: 'Namespaced', shortNames: ['hpa'], categories: ['all'] });

/** A list of HorizontalPodAutoscalers. */
export type HorizontalPodAutoscalerList = KubernetesList<HorizontalPodAutoscaler>;

/** Says what is scaled, by which measure and within which bounds. */
export interface HorizontalPodAutoscalerSpec {
  /** The largest number of pods. It must not be below `minReplicas`. */
  maxReplicas: number;
  /**
   * The smallest number of pods, at least 1. 0 is for a feature that is not enabled by default.
   * @default 1
   */
  minReplicas?: number;
  /** The workload that is scaled, which must have the subresource `scale`. */
  scaleTargetRef: CrossVersionObjectReference;
  /**
   * The average CPU use of all pods that is aimed at, as a percentage of their requests. The server leaves it unset if
   * an annotation holds other metrics.
   * @default 80
   */
  targetCPUUtilizationPercentage?: number;
}

/** How many pods there are, and how many there should be. */
export interface HorizontalPodAutoscalerStatus {
  /** The average CPU use of all pods, as a percentage of their requests. */
  currentCPUUtilizationPercentage?: number;
  /** How many pods there are, as last seen. */
  currentReplicas: number;
  /** How many pods there should be, as last computed. */
  desiredReplicas: number;
  /** When the number of pods was last changed. The next change waits for some time after it. */
  lastScaleTime?: Time;
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
}

/** The number of replicas of an object, read and written at its subresource `scale`. */
export interface Scale extends KubernetesObject {
  /** How many replicas should run. */
  spec?: ScaleSpec;
  /** How many replicas run. */
  status?: ScaleStatus;
}

/** How many replicas should run. */
export interface ScaleSpec {
  /** The wanted number of replicas, 0 or more. */
  replicas?: number;
}

/** How many replicas run. */
export interface ScaleStatus {
  /** The actual number of replicas. */
  replicas: number;
  /** The selector of the object's pods as text, as in `app=web,tier!=cache`. Clients that look at the pods use it. */
  selector?: string;
}
