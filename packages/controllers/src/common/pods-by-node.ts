import { Pod } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';

const INDEX = 'node';

/** The pods that are bound to a node, without looking at others. From the cache; none while nobody watches pods. */
export function podsOnNode({ informers }: Manager, name: string): Pod[] {
  const informer = informers.find(Pod);
  informer?.addIndex(INDEX, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  return informer?.cache.list({ index: { name: INDEX, value: name } }) ?? [];
}
