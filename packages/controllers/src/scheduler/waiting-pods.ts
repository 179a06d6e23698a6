import { ownTurn, Turns } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import { type OpenSource, requestOf, type Source, type SourceSink } from '@pintle/operator';
import { priorityOf } from './cluster-view.ts';

/** Pods that a change may help: all, or those for which the predicate is true. */
export type Woken = 'all' | ((pod: Pod) => boolean);

/** Number of changes beyond which all pods are retried, because evaluating each change takes longer. */
const MAX_CHANGES = 16;

/**
 * Pods that no node fitted, and the source that retries them. A change only notes which pods it may help; one later
 * pass enqueues them, so a thousand pods that end at once cause one pass.
 */
export class WaitingPods implements Source {
  readonly what = 'room for waiting pods';
  readonly #pods = new Map<string, Pod>();
  #sink: SourceSink | undefined;
  /** Changes since the last pass. */
  readonly #woken = new Set<Woken>();
  #walking: Promise<void> | undefined;

  get mapping(): number {
    return this.#walking === undefined ? 0 : 1;
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
  wake(woken: Woken): void {
    if (this.#woken.has('all') || this.#woken.has(woken)) return;
    const isMany = woken === 'all' || this.#woken.size >= MAX_CHANGES;
    if (isMany) this.#woken.clear();
    this.#woken.add(isMany ? 'all' : woken);
    this.#walking ??= this.#walk();
  }

  /** Never rejects. Ends when there are no more changes. */
  async #walk(): Promise<void> {
    while (this.#woken.size > 0) {
      await ownTurn();
      const woken = [...this.#woken];
      this.#woken.clear();
      if (this.#sink !== undefined) await this.#enqueue(woken, this.#sink);
    }
    this.#walking = undefined;
  }

  /** Enqueues pods by priority, because workers start before the pass ends. */
  async #enqueue(woken: readonly Woken[], { clock, enqueue }: SourceSink): Promise<void> {
    const turns = new Turns(clock);
    const pods = [...this.#pods.values()].sort((a, b) => priorityOf(b) - priorityOf(a));
    for (const pod of pods) {
      const isMeant = woken.some((meant) => meant === 'all' || meant(pod));
      if (isMeant && this.has(pod.metadata.uid ?? ''))
        enqueue(requestOf(pod), { cause: 'external' }, { priority: priorityOf(pod) });
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
}
