import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { LabelSelector, Quantity, Time } from '../meta/v1.ts';

/** A resource of one container in each pod that is aimed at. */
export interface ContainerResourceMetricSource {
  /** The container that is measured, by its name in each pod. */
  container: string;
  /** The name of the resource, such as `cpu`. */
  name: string;
  /** The value that is aimed at. */
  target: MetricTarget;
}

/** A resource of one container in each pod, as last read. */
export interface ContainerResourceMetricStatus {
  /** The container that is measured, by its name in each pod. */
  container: string;
  /** The value as last read. */
  current: MetricValueStatus;
  /** The name of the resource, such as `cpu`. */
  name: string;
}

/** An object in the same namespace, by kind and name. */
export interface CrossVersionObjectReference {
  /** The group and version of the object's kind. */
  apiVersion?: string;
  /** The kind of the object. */
  kind: string;
  /** The name of the object. */
  name: string;
}

/** A metric from outside the cluster that is aimed at, such as the length of a queue. */
export interface ExternalMetricSource {
  /** The name of the metric, and which of its series are meant. */
  metric: MetricIdentifier;
  /** The value that is aimed at, of type `Value` or `AverageValue`. */
  target: MetricTarget;
}

/** A metric from outside the cluster, as last read. */
export interface ExternalMetricStatus {
  /** The value as last read. */
  current: MetricValueStatus;
  /** The name of the metric, and which of its series are meant. */
  metric: MetricIdentifier;
}

/** The most that the number of pods may change within a time. */
export interface HPAScalingPolicy {
  /** The time in seconds, 1 to 1800. */
  periodSeconds: number;
  /** The unit of `value`, either `Pods` or `Percent`. */
  type: string;
  /** The largest change within the time, above 0. */
  value: number;
}

/** How fast the number of pods changes in one direction. */
export interface HPAScalingRules {
  /**
   * Limits of the change within a time, at least one. The server sets 100 per cent in 15 seconds, and for growth also
   * 4 pods in 15 seconds.
   */
  policies?: HPAScalingPolicy[];
  /**
   * Which policy counts if there are several, one of `Max` for the largest change, `Min` for the smallest and
   * `Disabled` for no change at all.
   * @default "Max"
   */
  selectPolicy?: string;
  /**
   * For how many seconds earlier recommendations count, 0 to 3600, so that the number does not swing. The server sets
   * 0 for growth; without it, 300 applies for shrinking.
   */
  stabilizationWindowSeconds?: number;
  /**
   * By which fraction a metric may differ from its target without a change, 0 or more. Without it, the setting of the
   * cluster applies, which usually is 0.1.
   */
  tolerance?: Quantity;
}

/** Scales a workload by metrics, such as the CPU use of its pods. */
export interface HorizontalPodAutoscaler extends KubernetesObject {
  /** Says what is scaled, by which metrics, within which bounds and how fast. */
  spec: HorizontalPodAutoscalerSpec;
  /** How many pods there are, how many there should be, and the metrics as last read. */
  status?: HorizontalPodAutoscalerStatus;
}
export const HorizontalPodAutoscaler: ResourceType<HorizontalPodAutoscaler, 'Namespaced'> = /* @__PURE__ */ resourceType<HorizontalPodAutoscaler, 'Namespaced'>({ group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', plural: 'horizontalpodautoscalers', scope: 'Namespaced', shortNames: ['hpa'], categories: ['all'] });

/** How fast the number of pods grows and shrinks. */
export interface HorizontalPodAutoscalerBehavior {
  /** How fast the number shrinks. Without it, down to `minReplicas` at once, after 300 seconds of stabilization. */
  scaleDown?: HPAScalingRules;
  /**
   * How fast the number grows. Without it, by 4 pods or by 100 per cent every 15 seconds, whichever is more, without
   * stabilization.
   */
  scaleUp?: HPAScalingRules;
}

/** An observation about the state of a HorizontalPodAutoscaler. */
export interface HorizontalPodAutoscalerCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `AbleToScale`. */
  type: string;
}

/** A list of HorizontalPodAutoscalers. */
export type HorizontalPodAutoscalerList = KubernetesList<HorizontalPodAutoscaler>;

/** Says what is scaled, by which metrics, within which bounds and how fast. */
export interface HorizontalPodAutoscalerSpec {
  /** How fast the number of pods grows and shrinks. Without it, the usual rules of `HPAScalingRules` apply. */
  behavior?: HorizontalPodAutoscalerBehavior;
  /** The largest number of pods. It must not be below `minReplicas`. */
  maxReplicas: number;
  /**
   * The metrics that are aimed at, of which the one that asks for the most pods wins. The server sets one for 80 per
   * cent of the requested CPU if there is none.
   */
  metrics?: MetricSpec[];
  /**
   * The smallest number of pods, at least 1. 0 needs a feature that is not enabled by default.
   * @default 1
   */
  minReplicas?: number;
  /** The workload that is scaled, which must have the subresource `scale`. */
  scaleTargetRef: CrossVersionObjectReference;
}

/** How many pods there are, how many there should be, and the metrics as last read. */
export interface HorizontalPodAutoscalerStatus {
  /** Observations such as `AbleToScale`, `ScalingActive` and `ScalingLimited`. */
  conditions?: HorizontalPodAutoscalerCondition[];
  /** The metrics, as last read. */
  currentMetrics?: MetricStatus[];
  /** How many pods there are, as last seen. */
  currentReplicas?: number;
  /** How many pods there should be, as last computed. */
  desiredReplicas: number;
  /** When the number of pods was last changed. */
  lastScaleTime?: Time;
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
}

/** A metric by name and labels. */
export interface MetricIdentifier {
  /** The name of the metric. */
  name: string;
  /** Selects series of the metric by labels. Without it, the name alone counts. */
  selector?: LabelSelector;
}

/** A metric that is aimed at. The field that `type` names is given. */
export interface MetricSpec {
  /** A resource, such as CPU, of one container in each pod. */
  containerResource?: ContainerResourceMetricSource;
  /** A metric from outside the cluster. */
  external?: ExternalMetricSource;
  /** A metric of one object in the cluster. */
  object?: ObjectMetricSource;
  /** A metric of each pod, which is averaged. */
  pods?: PodsMetricSource;
  /** A resource, such as CPU, of each pod. */
  resource?: ResourceMetricSource;
  /** The sort of metric, one of `ContainerResource`, `External`, `Object`, `Pods` and `Resource`. */
  type: string;
}

/** A metric as last read. The field that `type` names is set. */
export interface MetricStatus {
  /** The resource of one container in each pod. */
  containerResource?: ContainerResourceMetricStatus;
  /** The metric from outside the cluster. */
  external?: ExternalMetricStatus;
  /** The metric of one object in the cluster. */
  object?: ObjectMetricStatus;
  /** The metric of each pod, averaged. */
  pods?: PodsMetricStatus;
  /** The resource of each pod. */
  resource?: ResourceMetricStatus;
  /** The sort of metric, one of `ContainerResource`, `External`, `Object`, `Pods` and `Resource`. */
  type: string;
}

/** The value of a metric that is aimed at. */
export interface MetricTarget {
  /** The average use of all pods, as a percentage of their requests. It is for resources only. */
  averageUtilization?: number;
  /** The value divided by the number of pods. */
  averageValue?: Quantity;
  /** The form of the target, one of `Utilization`, `Value` and `AverageValue`. */
  type: string;
  /** The value as it is. */
  value?: Quantity;
}

/** The value of a metric, as last read. */
export interface MetricValueStatus {
  /** The average use of all pods, as a percentage of their requests. */
  averageUtilization?: number;
  /** The value divided by the number of pods. */
  averageValue?: Quantity;
  /** The value as it is. */
  value?: Quantity;
}

/** A metric of one object in the cluster that is aimed at, such as the requests to an Ingress. */
export interface ObjectMetricSource {
  /** The object that has the metric, in the same namespace. */
  describedObject: CrossVersionObjectReference;
  /** The name of the metric, and which of its series are meant. */
  metric: MetricIdentifier;
  /** The value that is aimed at, of type `Value` or `AverageValue`. */
  target: MetricTarget;
}

/** A metric of one object in the cluster, as last read. */
export interface ObjectMetricStatus {
  /** The value as last read. */
  current: MetricValueStatus;
  /** The object that has the metric. */
  describedObject: CrossVersionObjectReference;
  /** The name of the metric, and which of its series are meant. */
  metric: MetricIdentifier;
}

/** A metric of each pod that is aimed at on average. */
export interface PodsMetricSource {
  /** The name of the metric, and which of its series are meant. */
  metric: MetricIdentifier;
  /** The value that is aimed at, of type `AverageValue`. */
  target: MetricTarget;
}

/** A metric of each pod, as last read. */
export interface PodsMetricStatus {
  /** The value as last read. */
  current: MetricValueStatus;
  /** The name of the metric, and which of its series are meant. */
  metric: MetricIdentifier;
}

/** A resource of each pod that is aimed at on average. */
export interface ResourceMetricSource {
  /** The name of the resource, such as `cpu`. */
  name: string;
  /** The value that is aimed at, of type `Utilization` or `AverageValue`. */
  target: MetricTarget;
}

/** A resource of each pod, as last read. */
export interface ResourceMetricStatus {
  /** The value as last read. */
  current: MetricValueStatus;
  /** The name of the resource, such as `cpu`. */
  name: string;
}
