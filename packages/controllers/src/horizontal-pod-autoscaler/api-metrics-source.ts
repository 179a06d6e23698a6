import type { Client } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { parseQuantity } from '@pintle/machinery/quantity';
import { parseDurationMs } from '@pintle/machinery/time';
import type { MetricsSource, PodMetric } from './metrics-source.ts';

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

/** The metrics API, where somebody serves it. Metrics of other kinds are served by nobody known. */
export function apiMetricsSource(client: Client): MetricsSource {
  return {
    resource: async ({ namespace, selector, resource, container }) => {
      const items = await fetching('resource', 'pods.metrics.k8s.io', async () => {
        const { items: all } = await client.list(PodUsages, { namespace, labelSelector: selector });
        return all;
      });
      if (items.length === 0) throw new Error('no metrics returned from resource metrics API');
      return new Map(items.flatMap((usage) => readUsage(usage, resource, container)));
    },
    pods: async () => await withoutCustomMetrics(),
    object: async () => await withoutCustomMetrics(),
    external: async ({ metric }) =>
      await fetching('external', `${metric}.external.metrics.k8s.io`, async () => {
        throw new Error(describeAbsence(`${metric}.external.metrics.k8s.io`));
      }),
  };
}

async function withoutCustomMetrics(): Promise<never> {
  throw new Error(
    'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
  );
}

async function fetching<T>(api: string, resource: string, fetch: () => Promise<T>): Promise<T> {
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

/** A pod of which a part is unknown is unknown. */
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
