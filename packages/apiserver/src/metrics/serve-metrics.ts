import { yieldToEventLoop } from '@pintle/async';
import type { GroupResource } from '@pintle/machinery';
import type { OtherMetrics } from '@pintle/metrics';
import { CONTENT_TYPE } from '@pintle/metrics';
import type { Store } from '@pintle/store';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { collectionRange } from '../storage/keys.ts';
import type { ResourceCount, ServerMetrics } from './server-metrics.ts';

export interface MetricsSources {
  readonly metrics: ServerMetrics;
  readonly store: Store;
  readonly catalog: DiscoveryCatalog;
  /** Other processes of this server. */
  readonly otherMetrics?: (() => readonly OtherMetrics[]) | undefined;
}

/** Serves `/metrics` in Prometheus' text, and the health checks of it as `/metrics/slis`. */
export function serveMetrics(sources: MetricsSources, path: string): Promise<ApiResponse> | undefined {
  if (path === '/metrics/slis') return answer(healthText(sources));
  return path === '/metrics' ? answer(allText(sources)) : undefined;
}

async function allText(sources: MetricsSources): Promise<ApiResponse['body']> {
  return await sources.metrics.text(await countObjects(sources), sources.otherMetrics?.());
}

async function healthText({ metrics }: MetricsSources): Promise<ApiResponse['body']> {
  return Buffer.from(metrics.healthText());
}

async function answer(written: Promise<ApiResponse['body']>): Promise<ApiResponse> {
  return {
    status: 200,
    headers: { 'content-type': `${CONTENT_TYPE}; escaping=underscores` },
    body: await written,
  };
}

/** Resources that are counted before yielding: there may be thousands of definitions. */
const COUNTED_AT_ONCE = 256;

/** Counts the objects of each resource once for all of its versions. */
async function countObjects({ store, catalog }: MetricsSources): Promise<ResourceCount[]> {
  const counts: ResourceCount[] = [];
  for (const storage of storagesOf(catalog)) {
    if (counts.length % COUNTED_AT_ONCE === COUNTED_AT_ONCE - 1) await yieldToEventLoop();
    counts.push({ ...storage, count: await store.count(collectionRange(storage, '')) });
  }
  return counts;
}

function storagesOf(catalog: DiscoveryCatalog): Iterable<GroupResource> {
  const storages = new Map<string, GroupResource>();
  for (const { resource, storedAs } of catalog.groups.flatMap(({ versions }) => versions.flatMap((v) => v.resources))) {
    if (storedAs !== undefined) storages.set(`${storedAs.group}/${resource}`, { group: storedAs.group, resource });
  }
  return storages.values();
}
