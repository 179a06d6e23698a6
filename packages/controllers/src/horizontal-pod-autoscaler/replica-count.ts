import type { Pod } from '@pintle/kinds/core/v1';
import { parseQuantity } from '@pintle/machinery/quantity';
import { readyCondition } from '../common/pods.ts';
import type { PodMetrics } from './metrics-source.ts';

/** Time after its start in which CPU usage of a pod that is not ready is ignored. */
const CPU_INITIALIZATION_MS = 5 * 60_000;
const INITIAL_READINESS_MS = 30_000;

/** Relative distance from the target within which nothing is scaled. */
export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

interface CountOptions {
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  /** Name of the resource; '' for other metrics. */
  readonly resource: string;
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

/** Usage relative to the target, and as the status shows it. */
interface Usage {
  readonly ratio: number;
  readonly averageMilli: number;
  /** Usage in percent of the requests. */
  readonly utilization?: number;
}

interface Count extends Usage {
  readonly replicas: number;
}

/** Returns how many pods there must be for each to use `targetPercent` of its requests. */
export function countByUtilization(
  options: CountOptions & { readonly targetPercent: number; readonly container?: string },
): Count {
  const { pods, resource, container, targetPercent } = options;
  const requests = new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, resource, container)]));
  return count(options, {
    assumed: (pod) => Math.floor(((requests.get(pod) ?? 0) * Math.max(100, targetPercent)) / 100),
    usageOf: (metrics) => {
      const known = [...metrics].filter(([pod]) => requests.has(pod));
      const requested = sum(known.map(([pod]) => requests.get(pod)!));
      if (requested === 0) throw new Error('no metrics returned matched known pods');
      const used = sum(known.map(([, milli]) => milli));
      const utilization = Math.trunc((used * 100) / requested);
      return { ratio: utilization / targetPercent, utilization, averageMilli: Math.trunc(used / known.length) };
    },
  });
}

/** Returns how many pods there must be for each to use `targetMilli`. */
export function countByValue(options: CountOptions & { readonly targetMilli: number }): Count {
  const { targetMilli } = options;
  return count(options, {
    assumed: () => targetMilli,
    usageOf: (metrics) => {
      const averageMilli = Math.trunc(sum([...metrics.values()]) / metrics.size);
      return { ratio: averageMilli / targetMilli, averageMilli };
    },
  });
}

/** Multiplies the number of ready pods by the ratio of usage to target; without pods, returns the ratio. */
export function countByRatio(
  { pods, currentReplicas, tolerances }: Pick<CountOptions, 'pods' | 'currentReplicas' | 'tolerances'>,
  ratio: number,
): number {
  if (currentReplicas === 0) return Math.ceil(ratio);
  if (isWithin(ratio, tolerances)) return currentReplicas;
  if (pods.length === 0)
    throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count');
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && readyCondition(pod)?.status === 'True');
  return Math.min(Math.ceil(ratio * ready.length), 2 ** 31 - 1);
}

export function isWithin(ratio: number, { up, down }: Tolerances): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/**
 * Pods without a metric are assumed to use all of the target when scaling down, and nothing when scaling up. When that
 * changes the direction, nothing is scaled.
 */
function count(
  options: CountOptions,
  {
    usageOf,
    assumed,
  }: {
    readonly usageOf: (metrics: ReadonlyMap<string, number>) => Usage;
    readonly assumed: (pod: string) => number;
  },
): Count {
  const { pods, currentReplicas, tolerances } = options;
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = groupPods(options);
  const metrics = new Map([...options.metrics].map(([pod, { milli }]) => [pod, milli]));
  for (const pod of [...unready, ...ignored]) metrics.delete(pod);
  if (metrics.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const usage = usageOf(metrics);
  const { ratio } = usage;
  const isGrowingUnready = unready.length > 0 && ratio > 1;
  if (!isGrowingUnready && missing.length === 0)
    return { ...usage, replicas: isWithin(ratio, tolerances) ? currentReplicas : Math.ceil(ratio * ready) };
  if (ratio !== 1) for (const pod of missing) metrics.set(pod, ratio < 1 ? assumed(pod) : 0);
  if (isGrowingUnready) for (const pod of unready) metrics.set(pod, 0);
  const { ratio: next } = usageOf(metrics);
  const replicas = Math.ceil(next * metrics.size);
  const isReversed = (ratio < 1 && next > 1) || (ratio > 1 && next < 1);
  const isAgainst = (next < 1 && replicas > currentReplicas) || (next > 1 && replicas < currentReplicas);
  return { ...usage, replicas: isWithin(next, tolerances) || isReversed || isAgainst ? currentReplicas : replicas };
}

function groupPods({ pods, metrics, resource, nowMs }: CountOptions): {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
} {
  const groups = { ready: 0, unready: [] as string[], missing: [] as string[], ignored: [] as string[] };
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') groups.ignored.push(name);
    else if (pod.status?.phase === 'Pending') groups.unready.push(name);
    else if (metric === undefined) groups.missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, metric.atMs - metric.windowMs, nowMs)) groups.unready.push(name);
    else groups.ready++;
  }
  return groups;
}

function isStarting(pod: Pod, measuredFromMs: number, nowMs: number): boolean {
  const condition = readyCondition(pod);
  const startedMs = Date.parse(pod.status?.startTime ?? '');
  if (condition === undefined || Number.isNaN(startedMs)) return true;
  const sinceMs = Date.parse(condition.lastTransitionTime ?? '');
  if (startedMs + CPU_INITIALIZATION_MS > nowMs) return condition.status === 'False' || measuredFromMs < sinceMs;
  return condition.status === 'False' && startedMs + INITIAL_READINESS_MS > sinceMs;
}

function requestOf({ metadata, spec }: Pod, resource: string, container: string | undefined): number {
  const whole = container === undefined ? spec?.resources?.requests?.[resource] : undefined;
  if (whole !== undefined) return milliOf(whole);
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const counted = [...(spec?.containers ?? []), ...sidecars];
  return sum(
    counted
      .filter(({ name }) => container === undefined || name === container)
      .map(({ name, resources }) => {
        const request = resources?.requests?.[resource];
        if (request === undefined)
          throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
        return milliOf(request);
      }),
  );
}

export function milliOf(quantity: unknown): number {
  return Number(parseQuantity(String(quantity)).toInteger(-3));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
