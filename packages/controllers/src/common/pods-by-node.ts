import { defineIndex } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import type { Cached } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';

const BY_NODE = defineIndex(Pod, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));

/** The pods that are bound to a node, without looking at others. From the cache; none while nobody watches pods. */
export function podsOnNode({ informers }: Manager, name: string): Cached<Pod, 'Namespaced'>[] {
  return informers.find(Pod)?.cache.list({ index: BY_NODE.is(name) }) ?? [];
}
