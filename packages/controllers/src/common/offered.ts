import type { Client, DiscoveredResource } from '@pintle/client';
import { discover } from '@pintle/client';

/** Time to live of discovery results, as in Kubernetes. */
const KNOWN_MS = 30_000;

interface Known {
  readonly resources: readonly DiscoveredResource[];
  readonly untilMs: number;
}

const known = new WeakMap<Client, Known>();

/** Returns the served resources that are wanted. Discovers again after a while, and at once when none is found. */
export async function offered(
  client: Client,
  isWanted: (resource: DiscoveredResource) => boolean,
): Promise<readonly DiscoveredResource[]> {
  const remembered = known.get(client);
  if (remembered !== undefined && client.clock.now() < remembered.untilMs) {
    const found = remembered.resources.filter(isWanted);
    if (found.length > 0) return found;
  }
  const { resources } = await discover(client);
  known.set(client, { resources, untilMs: client.clock.now() + KNOWN_MS });
  return resources.filter(isWanted);
}
