import type { Client, DiscoveredResource } from '@pintle/client';
import { discover } from '@pintle/client';

/** Time to live of discovery results, as in Kubernetes. */
const CACHE_TTL_MS = 30_000;

interface CacheEntry {
  readonly resources: readonly DiscoveredResource[];
  readonly untilMs: number;
}

const cache = new WeakMap<Client, CacheEntry>();

/** Returns the served resources that are wanted. Discovers again after a while, and at once when none is found. */
export async function discoverResources(
  client: Client,
  isWanted: (resource: DiscoveredResource) => boolean,
): Promise<readonly DiscoveredResource[]> {
  const entry = cache.get(client);
  if (entry !== undefined && client.clock.now() < entry.untilMs) {
    const found = entry.resources.filter(isWanted);
    if (found.length > 0) return found;
  }
  const { resources } = await discover(client);
  cache.set(client, { resources, untilMs: client.clock.now() + CACHE_TTL_MS });
  return resources.filter(isWanted);
}
