import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget } from '@pintle/kinds/autoscaling/v2';
import type { Pod } from '@pintle/kinds/core/v1';
import { Quantity } from '@pintle/machinery/quantity';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import type { MetricsSource } from './metrics-source.ts';
import type { Tolerances } from './replica-count.ts';
import { countByRatio, countByUtilization, countByValue, isWithin, milliOf, sum } from './replica-count.ts';

/** Input for the evaluation of a metric. */
interface MetricContext {
  readonly source: MetricsSource;
  readonly namespace: string;
  /** Label selector of the target's pods. */
  readonly selector: string;
  readonly pods: readonly Pod[];
  /** Replicas in the target's spec, and in its status. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly nowMs: number;
}

interface MetricProposal {
  readonly replicas: number;
  /** Description of the metric for events: `cpu resource utilization (percentage of request)`. */
  readonly metric: string;
  readonly status: MetricStatus;
}

/** A metric without a value: `condition` is the text of the autoscaler's condition, `message` that of the event. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
  readonly reason: string;
  readonly condition: string;
  constructor(reason: string, prefix: string, cause: unknown, { within = '' } = {}) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${prefix}: ${within}${why}`, { cause });
    this.reason = reason;
    this.condition = why;
  }
}

/** Returns the number of replicas that one metric asks for. */
export async function computeReplicasForMetric(metric: MetricSpec, context: MetricContext): Promise<MetricProposal> {
  const { resource, containerResource, pods, object, external } = metric;
  switch (metric.type) {
    case 'Resource':
      return await wrapMetricError(
        'FailedGetResourceMetric',
        `failed to get ${resource?.name} resource metric value`,
        () => byResource(resource!, context),
      );
    case 'ContainerResource':
      return await wrapMetricError(
        'FailedGetContainerResourceMetric',
        `failed to get ${containerResource?.container} container metric value`,
        () => byResource(containerResource!, context),
      );
    case 'Pods':
      return await wrapMetricError('FailedGetPodsMetric', 'failed to get pods metric value', () =>
        byPods(pods!, context),
      );
    case 'Object': {
      const within =
        object!.target.type === 'AverageValue' ? `failed to get ${object!.metric.name} object metric: ` : '';
      const what = 'failed to get object metric value';
      return await wrapMetricError('FailedGetObjectMetric', what, () => byObject(object!, context), within);
    }
    case 'External': {
      const { name } = external!.metric;
      const isAverage = external!.target.averageValue !== undefined;
      const within = isAverage ? `failed to get ${name} external metric: ` : `failed to get external metric ${name}: `;
      const what = `failed to get ${name} external metric value`;
      return await wrapMetricError('FailedGetExternalMetric', what, () => byExternal(external!, context), within);
    }
    default: {
      const error = new Error(`unknown metric source type ${JSON.stringify(metric.type)}`);
      throw new MetricError('InvalidMetricSourceType', 'invalid metric', error);
    }
  }
}

/** Returns the autoscaler's tolerances, 0.1 where it sets none. */
export function tolerancesOf({ spec }: HorizontalPodAutoscaler): Tolerances {
  const read = (tolerance: unknown): number => (tolerance === undefined ? 0.1 : milliOf(tolerance) / 1000);
  return { up: read(spec?.behavior?.scaleUp?.tolerance), down: read(spec?.behavior?.scaleDown?.tolerance) };
}

async function wrapMetricError<T>(reason: string, prefix: string, work: () => Promise<T>, within = ''): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MetricError(reason, prefix, error, { within });
  }
}

async function byResource(
  spec: { readonly name: string; readonly container?: string; readonly target: MetricTarget },
  context: MetricContext,
): Promise<MetricProposal> {
  const { name, container, target } = spec;
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  const { namespace, selector } = context;
  const options = {
    ...context,
    resource: name,
    currentReplicas: context.specReplicas,
    ...(container && { container }),
  };
  const count = await prefixError(
    `failed to get ${name} ${averageValue === undefined ? 'utilization' : 'usage'}`,
    async () => {
      const metrics = await prefixError(`unable to get metrics for resource ${name}`, () =>
        context.source.resource({ namespace, selector, resource: name, ...(container && { container }) }),
      );
      return averageValue === undefined
        ? countByUtilization({ ...options, metrics, targetPercent: averageUtilization! })
        : countByValue({ ...options, metrics, targetMilli: milliOf(averageValue) });
    },
  );
  const current = {
    ...(count.utilization !== undefined && { averageUtilization: count.utilization }),
    averageValue: quantity(count.averageMilli, name === 'memory' ? 'BinarySI' : 'DecimalSI'),
  };
  const ofContainer = container === undefined ? '' : 'container ';
  const words =
    averageValue === undefined
      ? `${name} ${ofContainer}resource utilization (percentage of request)`
      : `${name} resource`;
  const status: MetricStatus =
    container === undefined
      ? { type: 'Resource', resource: { name, current } }
      : { type: 'ContainerResource', containerResource: { name, container, current } };
  return { replicas: count.replicas, metric: words, status };
}

async function byPods(
  { metric, target }: NonNullable<MetricSpec['pods']>,
  context: MetricContext,
): Promise<MetricProposal> {
  const { namespace, selector, source } = context;
  const metrics = await prefixError(`unable to get metric ${metric.name}`, () =>
    source.pods({ namespace, selector, metric: metric.name, metricSelector: selectorText(metric.selector) }),
  );
  const options = { ...context, metrics, resource: '', currentReplicas: context.specReplicas };
  const { replicas, averageMilli } = countByValue({ ...options, targetMilli: milliOf(target.averageValue) });
  const status = { type: 'Pods', pods: { metric, current: { averageValue: quantity(averageMilli) } } };
  return { replicas, metric: `pods metric ${metric.name}`, status };
}

async function byObject(spec: NonNullable<MetricSpec['object']>, context: MetricContext): Promise<MetricProposal> {
  const { metric, target, describedObject } = spec;
  const { namespace, source } = context;
  const { kind, name } = describedObject;
  // Kubernetes 1.36 prints the reason after a slash, where the object's name would be.
  const used = await prefixError(
    `unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/`,
    () =>
      source.object({
        namespace,
        metric: metric.name,
        metricSelector: selectorText(metric.selector),
        object: describedObject,
      }),
    '',
  );
  const { replicas, current } = byWhole(used, target, context, 'object');
  const isAverage = target.type === 'AverageValue';
  return {
    replicas,
    metric: isAverage ? externalWords(metric) : `${kind} metric ${metric.name}`,
    status: { type: 'Object', object: { describedObject, metric, current } },
  };
}

async function byExternal(
  { metric, target }: NonNullable<MetricSpec['external']>,
  context: MetricContext,
): Promise<MetricProposal> {
  const { namespace, source } = context;
  const where = `${namespace}/${metric.name}/${describeSelector(metric.selector)}`;
  const series = await prefixError(`unable to get external metric ${where}`, () =>
    source.external({ namespace, metric: metric.name, metricSelector: selectorText(metric.selector) }),
  );
  const { replicas, current } = byWhole(sum(series), target, context, 'external');
  return { replicas, metric: externalWords(metric), status: { type: 'External', external: { metric, current } } };
}

/** Compares a value for all pods together with a target for all or for each. */
function byWhole(
  usedMilli: number,
  { value, averageValue }: MetricTarget,
  context: MetricContext,
  what: string,
): { readonly replicas: number; readonly current: { readonly value?: string; readonly averageValue?: string } } {
  const { statusReplicas, specReplicas: currentReplicas, tolerances } = context;
  if (averageValue !== undefined) {
    const target = milliOf(averageValue);
    const isWithinTolerance = isWithin(usedMilli / (target * statusReplicas), tolerances);
    const replicas = isWithinTolerance ? statusReplicas : Math.min(Math.ceil(usedMilli / target), 2 ** 31 - 1);
    return { replicas, current: { averageValue: quantity(Math.ceil(usedMilli / Math.max(1, statusReplicas))) } };
  }
  if (value === undefined)
    throw new Error(`invalid ${what} metric source: neither a value target nor an average value target was set`);
  const replicas = countByRatio({ ...context, currentReplicas }, usedMilli / milliOf(value));
  return { replicas, current: { value: quantity(usedMilli) } };
}

async function prefixError<T>(what: string, work: () => Promise<T>, separator = ': '): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}${separator}${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function quantity(milli: number, format: 'DecimalSI' | 'BinarySI' = 'DecimalSI'): string {
  return new Quantity(BigInt(milli), -3, format).toString();
}

type Identifier = NonNullable<MetricSpec['external']>['metric'];

function externalWords({ name, selector }: Identifier): string {
  return `external metric ${name}(${describeSelector(selector)})`;
}

function selectorText(selector: Identifier['selector']): string {
  return selector === undefined ? '' : compileLabelSelector(selector).toString();
}

/** Formats a selector as Kubernetes prints it. */
function describeSelector(selector: Identifier['selector']): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
