import type { Store } from '@pintle/store';
import type { ApiResponse } from '../http/exchange.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import { collectionRange } from '../storage/keys.ts';
import type { ResourceCount, ServerMetrics } from './server-metrics.ts';

export interface MetricsSources {
  readonly metrics: ServerMetrics;
  readonly store: Store;
  readonly resources: ResourceRegistry;
}

/** `/metrics`, in Prometheus' text. */
export function serveMetrics(sources: MetricsSources, path: string): Promise<ApiResponse> | undefined {
  return path === '/metrics' ? answer(sources) : undefined;
}

async function answer(sources: MetricsSources): Promise<ApiResponse> {
  const text = await sources.metrics.text(await countObjects(sources));
  const headers = { 'content-type': sources.metrics.registry.contentType };
  return { status: 200, headers, body: Buffer.from(text) };
}

/** Versions of a resource share their objects, which are counted once. */
async function countObjects({ store, resources }: MetricsSources): Promise<ResourceCount[]> {
  const stored = new Map([...resources.all()].map(({ storage }) => [`${storage.group}/${storage.resource}`, storage]));
  const counts: ResourceCount[] = [];
  for (const storage of stored.values()) {
    counts.push({ ...storage, count: await store.count(collectionRange(storage, '')) });
  }
  return counts;
}
