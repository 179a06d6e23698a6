import type { Node } from '@pintle/kinds/core/v1';

/** State of a zone. Nodes that fail together are probably cut off, not broken. */
type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

const UNHEALTHY_SHARE = 0.55;
const LARGE_ZONE = 50;
const EVICTIONS_PER_SECOND = 0.1;
const EVICTIONS_PER_SECOND_LARGE = 0.01;

export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : JSON.stringify([region, zone]);
}

export function zoneState(ready: number, notReady: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  if (notReady > 2 && notReady / (ready + notReady) >= UNHEALTHY_SHARE) return 'PartialDisruption';
  return 'Normal';
}

/** Returns how many nodes of the zone may be evicted per second. */
export function evictionsPerSecond(state: ZoneState, size: number): number {
  if (state !== 'PartialDisruption') return EVICTIONS_PER_SECOND;
  return size > LARGE_ZONE ? EVICTIONS_PER_SECOND_LARGE : 0;
}
