import type { Client } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { parseQuantity } from '@pintle/machinery/quantity';
import { parseDurationMs } from '@pintle/machinery/time';
import { discoverResources } from '../common/discover-resources.ts';
import type { DescribedObject, MetricsSource, PodMetric } from './metrics-source.ts';

interface PodUsage extends KubernetesObject {
  timestamp?: string;
  window?: string;
  containers?: { name: string; usage?: Record<string, string> }[];
}

const PodUsages = resourceType<PodUsage>({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  scope: 'Namespaced',
});

/** Reads the resource, custom and external metrics APIs, where they are served. */
export function apiMetricsSource(client: Client): MetricsSource {
  return {
    resource: async ({ namespace, selector, resource, container }) => {
      const items = await wrapFetchError('resource', 'pods.metrics.k8s.io', async () => {
        const { items: all } = await client.list(PodUsages, { namespace, labelSelector: selector });
        return all;
      });
      if (items.length === 0) throw new Error('no metrics returned from resource metrics API');
      return new Map(items.flatMap((usage) => readUsage(usage, resource, container)));
    },
    pods: async ({ namespace, selector, metric, metricSelector }) => {
      const path = `${inNamespace(namespace)}/pods/*/${encodeURIComponent(metric)}`;
      const items = await customValues(client, path, { labelSelector: selector, metricLabelSelector: metricSelector });
      return new Map(items.map((item) => [item.describedObject?.name ?? '', readMetric(item)]));
    },
    object: async ({ namespace, metric, metricSelector, object }) => {
      const path = `${await objectPath(client, namespace, object)}/${encodeURIComponent(metric)}`;
      const [item] = await customValues(client, path, { metricLabelSelector: metricSelector });
      if (item === undefined) throw new Error('unable to fetch metrics from custom metrics API: no value was returned');
      return readMetric(item).milli;
    },
    external: async ({ namespace, metric, metricSelector }) =>
      await wrapFetchError('external', `${metric}.external.metrics.k8s.io`, async () => {
        const path = `/apis/external.metrics.k8s.io/v1beta1${inNamespace(namespace)}/${encodeURIComponent(metric)}`;
        const query = new URLSearchParams(metricSelector ? { labelSelector: metricSelector } : {}).toString();
        const { items = [] } = (await client.call({ method: 'GET', path, query })) as MetricValues;
        if (items.length === 0) throw new Error('no metrics returned from external metrics API');
        return items.map((item) => readMetric(item).milli);
      }),
  };
}

interface MetricValues {
  readonly items?: readonly MetricValue[];
}

interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly value?: string;
}

const CUSTOM = '/apis/custom.metrics.k8s.io';
/** Window of a value that has none. */
const DEFAULT_WINDOW_MS = 60_000;

async function customValues(
  client: Client,
  path: string,
  options: Readonly<Record<string, string>>,
): Promise<readonly MetricValue[]> {
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== '')).toString();
  try {
    return (
      ((await client.call({ method: 'GET', path: `${CUSTOM}/v1beta2${path}`, query })) as MetricValues).items ?? []
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const why =
      isNotFound(error) && !(await isServed(client))
        ? 'no custom metrics API (custom.metrics.k8s.io) registered'
        : message;
    throw new Error(`unable to fetch metrics from custom metrics API: ${why}`, { cause: error });
  }
}

async function isServed(client: Client): Promise<boolean> {
  try {
    await client.call({ method: 'GET', path: CUSTOM });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Returns the path of an object's metrics, which is always in the autoscaler's namespace: its author may read no others. A
 * namespace is therefore the autoscaler's, whichever it names, and objects without a namespace are asked for in it, as in
 * Kubernetes.
 */
async function objectPath(client: Client, namespace: string, object: DescribedObject): Promise<string> {
  const { apiVersion = 'v1', kind, name } = object;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  if (group === '' && kind === 'Namespace') return `${inNamespace(namespace)}/metrics`;
  const [found] = await discoverResources(client, ({ type }) => type.kind === kind && type.group === group);
  const type = found?.type;
  if (type === undefined) throw new Error(`no matches for kind "${kind}" in group "${group}"`);
  const resource = group === '' ? type.plural : `${type.plural}.${group}`;
  return `${inNamespace(namespace)}/${resource}/${encodeURIComponent(name)}`;
}

function inNamespace(namespace: string): string {
  return `/namespaces/${encodeURIComponent(namespace)}`;
}

function readMetric({ value = '0', timestamp = '', windowSeconds }: MetricValue): PodMetric {
  const windowMs = windowSeconds === undefined ? DEFAULT_WINDOW_MS : windowSeconds * 1_000;
  return { milli: Number(parseQuantity(value).toInteger(-3)), atMs: Date.parse(timestamp), windowMs };
}

async function wrapFetchError<T>(api: string, resource: string, fetch: () => Promise<T>): Promise<T> {
  try {
    return await fetch();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const why = isNotFound(error) ? describeAbsence(resource) : message;
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${why}`, { cause: error });
  }
}

function describeAbsence(resource: string): string {
  return `the server could not find the requested resource (get ${resource})`;
}

/** Returns nothing for a pod of which one container has no value. */
function readUsage(
  { metadata, containers = [], timestamp = '', window = '' }: PodUsage,
  resource: string,
  container: string | undefined,
): [string, PodMetric][] {
  const { namespace = '', name = '' } = metadata;
  const counted = container === undefined ? containers : containers.filter((one) => one.name === container);
  if (container !== undefined && counted.length === 0)
    throw new Error(`container ${container} not present in metrics for pod ${namespace}/${name}`);
  const amounts = counted.map(({ usage }) => usage?.[resource]);
  if (amounts.includes(undefined)) return [];
  const milli = amounts.reduce((sum, amount) => sum + Number(parseQuantity(amount!).toInteger(-3)), 0);
  return [[name, { milli, atMs: Date.parse(timestamp), windowMs: parseDurationMs(window) ?? 0 }]];
}
