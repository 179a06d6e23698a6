import { Turns, waitForOwnTurn } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import { type OpenSource, requestOf, type Source, type SourceSink } from '@pintle/operator';
import { priorityOf } from './cluster-view.ts';

/** Pods that a change may help: all, or those for which the predicate is true. */
export type WakeFilter = 'all' | ((pod: Pod) => boolean);

/** Number of changes beyond which all pods are retried, because evaluating each change takes longer. */
const MAX_CHANGES = 16;

/**
 * Pods that no node fitted, and the source that retries them. A change only notes which pods it may help; one later
 * pass enqueues them, so a thousand pods that end at once cause one pass.
 */
export class UnschedulablePods implements Source {
  readonly what = 'room for waiting pods';
  readonly #pods = new Map<string, Pod>();
  #sink: SourceSink | undefined;
  /** Changes since the last pass. */
  readonly #filters = new Set<WakeFilter>();
  #flushing: Promise<void> | undefined;

  get mapping(): number {
    return this.#flushing === undefined ? 0 : 1;
  }

  open(sink: SourceSink): OpenSource {
    this.#sink = sink;
    const close = (): void => {
      this.#sink = undefined;
    };
    return { synced: Promise.resolve(), [Symbol.dispose]: close };
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  add(pod: Pod): void {
    this.#pods.set(pod.metadata.uid ?? '', pod);
  }

  delete(uid: string): void {
    this.#pods.delete(uid);
  }

  /** Retries pods soon. */
  wake(filters: WakeFilter): void {
    if (this.#filters.has('all') || this.#filters.has(filters)) return;
    const hasTooMany = filters === 'all' || this.#filters.size >= MAX_CHANGES;
    if (hasTooMany) this.#filters.clear();
    this.#filters.add(hasTooMany ? 'all' : filters);
    this.#flushing ??= this.#flush();
  }

  /** Never rejects. Ends when there are no more changes. */
  async #flush(): Promise<void> {
    while (this.#filters.size > 0) {
      await waitForOwnTurn();
      const filters = [...this.#filters];
      this.#filters.clear();
      if (this.#sink !== undefined) await this.#enqueue(filters, this.#sink);
    }
    this.#flushing = undefined;
  }

  /** Enqueues pods by priority, because workers start before the pass ends. */
  async #enqueue(filters: readonly WakeFilter[], { clock, enqueue }: SourceSink): Promise<void> {
    const turns = new Turns(clock);
    const pods = [...this.#pods.values()].sort((a, b) => priorityOf(b) - priorityOf(a));
    for (const pod of pods) {
      const isWoken = filters.some((filter) => filter === 'all' || filter(pod));
      if (isWoken && this.has(pod.metadata.uid ?? ''))
        enqueue(requestOf(pod), { cause: 'external' }, { priority: priorityOf(pod) });
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
}
