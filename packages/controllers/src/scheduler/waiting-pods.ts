import { ownTurn, Turns } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import { type NamespacedRequest, type OpenSource, requestOf, type Source, type SourceSink } from '@pintle/operator';
import { priorityOf } from './cluster-view.ts';
import { mindsOthers } from './neighbours.ts';

/** Whom a change may help: everybody, or those alone that mind where others are. */
export type Woken = 'all' | 'minding';

/**
 * The pods that fit nowhere when they were last looked at, and the source that has them looked at again. A change only
 * notes whom it may help. A walk in a turn of its own then puts them into the queue, so a thousand pods that end at once
 * are one walk, not a thousand.
 */
export class WaitingPods implements Source {
  readonly what = 'room for waiting pods';
  readonly #pods = new Map<string, Pod>();
  #sink: SourceSink | undefined;
  /** Whom the next walk wakes. */
  #woken: Woken | undefined;
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

  *requests(): Iterable<NamespacedRequest> {
    for (const { metadata } of this.#pods.values())
      yield { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  }

  /** Has them looked at again soon. */
  wake(woken: Woken): void {
    if (this.#woken !== 'all') this.#woken = woken;
    this.#walking ??= this.#walk();
  }

  /** Never rejects, and ends when nobody is to be woken. */
  async #walk(): Promise<void> {
    while (this.#woken !== undefined) {
      await ownTurn();
      const woken = this.#woken;
      this.#woken = undefined;
      if (this.#sink !== undefined) await this.#enqueue(woken, this.#sink);
    }
    this.#walking = undefined;
  }

  /** The most important come first: workers do not wait for the end of the walk. */
  async #enqueue(woken: Woken, { clock, enqueue }: SourceSink): Promise<void> {
    const turns = new Turns(clock);
    const pods = [...this.#pods.values()].sort((a, b) => priorityOf(b) - priorityOf(a));
    for (const pod of pods) {
      const isMeant = woken === 'all' || mindsOthers(pod);
      if (isMeant && this.has(pod.metadata.uid ?? ''))
        enqueue(requestOf(pod), { cause: 'external' }, { priority: priorityOf(pod) });
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
}
