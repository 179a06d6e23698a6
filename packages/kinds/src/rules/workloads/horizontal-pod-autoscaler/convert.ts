import type { ObjectMeta } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';
import type { HorizontalPodAutoscaler as Version1 } from '../../../generated/autoscaling/v1.ts';
import type {
  HorizontalPodAutoscalerCondition as Condition,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  HorizontalPodAutoscaler as Version2,
} from '../../../generated/autoscaling/v2.ts';
import { metricFromVersion1, metricToVersion1, statusFromVersion1, statusToVersion1 } from './convert-metrics.ts';

export type AnyAutoscaler = Version1 | Version2;

/** Version 1 has one target, of cpu; annotations hold everything else without loss. */
export function toVersion2(autoscaler: AnyAutoscaler): Version2 {
  if (!isVersion1(autoscaler)) return autoscaler;
  const { spec, status } = deepCopy(autoscaler as never) as Version1;
  const { annotations = {} } = autoscaler.metadata;
  const { targetCPUUtilizationPercentage: cpu, ...rest } = spec ?? {
    maxReplicas: 0,
    scaleTargetRef: { kind: '', name: '' },
  };
  const {
    currentCPUUtilizationPercentage: currentCpu,
    currentReplicas,
    ...restOfStatus
  } = status ?? { currentReplicas: 0, desiredReplicas: 0 };
  const behavior = readBehavior(annotations[behaviorAnnotation]);
  const conditions = readList<Condition>(annotations[conditionsAnnotation]);
  const current =
    readList(annotations[currentMetricsAnnotation])?.map(statusFromVersion1) ??
    (currentCpu === undefined ? undefined : [cpuStatus(currentCpu)]);
  const metrics = [
    ...(readList(annotations[metricsAnnotation]) ?? []).map(metricFromVersion1),
    ...(cpu === undefined ? [] : [cpuMetric(cpu)]),
  ];
  return {
    ...autoscaler,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(autoscaler.metadata, {}),
    spec: {
      ...rest,
      metrics: metrics.length > 0 || isBlank(rest) ? metrics : [cpuMetric(80)],
      ...(behavior && { behavior }),
    },
    status: {
      ...restOfStatus,
      ...(currentReplicas !== 0 && { currentReplicas }),
      currentMetrics: current ?? (null as never),
      ...(conditions && { conditions }),
    },
  };
}

/** True for the blank object of a bookmark, which has no target. */
function isBlank({
  scaleTargetRef,
}: {
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string };
}): boolean {
  return !scaleTargetRef?.kind && !scaleTargetRef?.name;
}

export function toVersion1(autoscaler: AnyAutoscaler): Version1 {
  if (isVersion1(autoscaler)) return autoscaler;
  const {
    metrics = [],
    behavior,
    ...spec
  } = autoscaler.spec ?? { maxReplicas: 0, scaleTargetRef: { kind: '', name: '' } };
  const { currentMetrics, conditions, currentReplicas = 0, ...status } = autoscaler.status ?? { desiredReplicas: 0 };
  const others = metrics.filter((metric) => !isCpuTarget(metric)).map(metricToVersion1);
  const cpu = metrics.find(isCpuTarget)?.resource?.target.averageUtilization;
  const currentCpu = (currentMetrics ?? []).findLast(isCpuUtilization)?.resource?.current.averageUtilization;
  return {
    ...autoscaler,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(autoscaler.metadata, {
      ...(others.length > 0 && { [metricsAnnotation]: JSON.stringify(others) }),
      ...((currentMetrics ?? []).length > 0 && {
        [currentMetricsAnnotation]: JSON.stringify(currentMetrics!.map(statusToVersion1)),
      }),
      ...(behavior && { [behaviorAnnotation]: JSON.stringify(writeBehavior(behavior)) }),
      ...((conditions ?? []).length > 0 && { [conditionsAnnotation]: JSON.stringify(conditions!.map(inOrder)) }),
    }),
    spec: { ...spec, ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }) },
    status: {
      ...status,
      currentReplicas,
      ...(currentCpu !== undefined && { currentCPUUtilizationPercentage: currentCpu }),
    },
  };
}

/**
 * Rewrites annotations that an author wrote in the server's form, if they can be read. A current utilization of cpu is a
 * metric of version 2, so that it gets its annotation, and the author owns that.
 */
export function rewriteAnnotations(autoscaler: Version1): void {
  const { annotations = {} } = autoscaler.metadata;
  const hasAnnotation = roundTripAnnotations.some((name) => annotations[name] !== undefined);
  if (!hasAnnotation && autoscaler.status?.currentCPUUtilizationPercentage === undefined) return;
  const { metadata, spec } = toVersion1(toVersion2(autoscaler));
  Object.assign(autoscaler, { metadata, ...(spec && { spec }) });
}

export function isVersion1(autoscaler: AnyAutoscaler): autoscaler is Version1 {
  return autoscaler.apiVersion === 'autoscaling/v1';
}

function isCpuTarget({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function isCpuUtilization({ type, resource }: MetricStatus): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined;
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function cpuStatus(averageUtilization: number): MetricStatus {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

/** Returns the fields of a condition in Kubernetes' order. */
function inOrder({ type, status, lastTransitionTime = null, reason, message }: Condition): object {
  return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
}

function withAnnotations(metadata: ObjectMeta, added: Record<string, string>): ObjectMeta {
  const { annotations: before = {}, ...rest } = metadata;
  const kept = Object.entries(before).filter(([key]) => !roundTripAnnotations.includes(key));
  const annotations = { ...Object.fromEntries(kept), ...added };
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}

/** Authors may write annotations: one that cannot be read counts as absent. */
function readJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readList<T = Record<string, unknown>>(text: string | undefined): T[] | undefined {
  const value = readJson(text);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : undefined;
}

interface GoRules {
  StabilizationWindowSeconds?: number | null;
  SelectPolicy?: string | null;
  Policies?: { Type: string; Value: number; PeriodSeconds: number }[] | null;
  Tolerance?: string | null;
}

/** This one annotation holds Go's internal type: every field, under its Go name. */
function writeBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): object {
  return { ScaleUp: writeRules(scaleUp), ScaleDown: writeRules(scaleDown) };
}

function writeRules(rules: HPAScalingRules | undefined): GoRules | null {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies:
      rules.policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: rules.tolerance === undefined ? null : String(rules.tolerance),
  };
}

function readBehavior(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const value = capitalized(readJson(text)) as { ScaleUp?: GoRules | null; ScaleDown?: GoRules | null } | undefined;
  if (!value?.ScaleUp && !value?.ScaleDown) return undefined;
  return {
    ...(value.ScaleUp && { scaleUp: readRules(value.ScaleUp) }),
    ...(value.ScaleDown && { scaleDown: readRules(value.ScaleDown) }),
  };
}

/** Go matches names of fields in any case; authors write them as in version 2. */
function capitalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(capitalized);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).map(([name, inner]) => [
    `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    inner,
  ]);
  return Object.fromEntries(entries.map(([name, inner]) => [name, capitalized(inner)]));
}

function readRules(rules: GoRules): HPAScalingRules {
  return {
    ...(typeof rules.StabilizationWindowSeconds === 'number' && {
      stabilizationWindowSeconds: rules.StabilizationWindowSeconds,
    }),
    ...(typeof rules.SelectPolicy === 'string' && { selectPolicy: rules.SelectPolicy }),
    ...(Array.isArray(rules.Policies) && {
      policies: rules.Policies.map(({ Type, Value, PeriodSeconds }) => ({
        type: Type,
        value: Value,
        periodSeconds: PeriodSeconds,
      })),
    }),
    ...(typeof rules.Tolerance === 'string' && { tolerance: rules.Tolerance }),
  };
}

/** Annotations of version 1 for fields that it does not have. */
export const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
export const currentMetricsAnnotation = 'autoscaling.alpha.kubernetes.io/current-metrics';
const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';
export const conditionsAnnotation = 'autoscaling.alpha.kubernetes.io/conditions';

export const roundTripAnnotations = [
  metricsAnnotation,
  currentMetricsAnnotation,
  behaviorAnnotation,
  conditionsAnnotation,
];
