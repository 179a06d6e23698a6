import { Pod } from '@pintle/kinds/core/v1';
import { parseQuantity } from '@pintle/machinery/quantity';
import { parseLabelSelector } from '@pintle/machinery/selectors';
import type { Manager } from '@pintle/operator';
import { apiMetricsSource } from '../horizontal-pod-autoscaler/api-metrics-source.ts';
import type { MetricsSource, PodMetrics } from '../horizontal-pod-autoscaler/metrics-source.ts';

/**
 * Usage of pods from their annotations:
 *
 *     pintle.dev/cpu-usage: 200m    pintle.dev/memory-usage: 1Gi    pintle.dev/metric-queue-length: "7"
 *
 * Metrics that no annotation sets are read from the metrics API.
 */
export function simulatedMetrics(manager: Manager): MetricsSource {
  const others = apiMetricsSource(manager.client.live);
  const annotated = async (namespace: string, selector: string, annotation: string): Promise<PodMetrics> => {
    const parsed = parseLabelSelector(selector);
    const pods = (await manager.client.list(Pod, { namespace })).filter(
      ({ metadata, status }) => status?.phase === 'Running' && parsed.matches(metadata.labels ?? {}),
    );
    const atMs = manager.clock.now();
    return new Map(
      pods.flatMap(({ metadata }) => {
        const milli = readMilli(metadata.annotations?.[annotation]);
        return milli === undefined ? [] : [[metadata.name ?? '', { milli, atMs, windowMs: 0 }]];
      }),
    );
  };
  return {
    ...others,
    resource: async (query) => {
      const found = await annotated(query.namespace, query.selector, `pintle.dev/${query.resource}-usage`);
      return found.size > 0 ? found : await others.resource(query);
    },
    pods: async (query) => {
      const found = await annotated(query.namespace, query.selector, `pintle.dev/metric-${query.metric}`);
      return found.size > 0 ? found : await others.pods(query);
    },
  };
}

function readMilli(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return Number(parseQuantity(text).toInteger(-3));
  } catch {
    return undefined;
  }
}
