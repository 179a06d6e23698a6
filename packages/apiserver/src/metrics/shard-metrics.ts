import type { GroupResource } from '@pintle/machinery';
import type { Counter, Gauge, MetricsRegistry } from '@pintle/metrics';
import { counter, gauge } from '@pintle/metrics';
import type { ShardObserver } from '../resource/endpoint.ts';

/** Metrics of sharded watches, under the names of Kubernetes, and of fenced writes. */
export class ShardMetrics implements ShardObserver {
  readonly #watches: Gauge<'group' | 'resource'>;
  readonly #filtered: Counter<'group' | 'resource'>;
  readonly #fenced: Counter<'group' | 'resource'>;

  constructor(registry: MetricsRegistry) {
    const labels = ['group', 'resource'] as const;
    this.#watches = registry.add(gauge('apiserver_watch_shards_total', 'Watches with a shard selector.', [...labels]));
    this.#filtered = registry.add(
      counter('apiserver_watch_filtered_events_total', 'Events that watches of other shards did not get.', [...labels]),
    );
    this.#fenced = registry.add(
      counter('pintle_shard_fenced_writes_total', 'Writes that were refused because their shard has another owner.', [
        ...labels,
      ]),
    );
  }

  watchBegan({ group, resource }: GroupResource): () => void {
    const cell = this.#watches.of({ group, resource });
    cell.value += 1;
    return () => {
      cell.value -= 1;
    };
  }

  eventFiltered({ group, resource }: GroupResource): void {
    this.#filtered.of({ group, resource }).add();
  }

  writeFenced({ group, resource }: GroupResource): void {
    this.#fenced.of({ group, resource }).add();
  }
}
