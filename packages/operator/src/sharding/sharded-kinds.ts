import { ShardView, type SlotSource } from '@pintle/client';
import type { ResourceType } from '@pintle/machinery';

/** Role of a kind in the controllers of a manager. */
export type KindRole = 'main' | 'owned' | 'watched';

/**
 * Decides which part of a kind's objects a process receives: main objects by their uid, children by that of their controller.
 * Kinds with several roles, and those that are only watched, are received whole.
 */
export class ShardedKinds {
  readonly #roles = new Map<string, Set<KindRole>>();
  readonly #views = new Map<string, ShardView>();
  readonly #source: SlotSource;

  constructor(source: SlotSource) {
    this.#source = source;
  }

  note(type: ResourceType, role: KindRole): void {
    const key = keyOf(type);
    this.#roles.set(key, (this.#roles.get(key) ?? new Set()).add(role));
  }

  viewOf(type: ResourceType): ShardView | undefined {
    const key = keyOf(type);
    const roles = this.#roles.get(key);
    if (roles?.size !== 1 || roles.has('watched')) return undefined;
    const field = roles.has('main') ? 'object.metadata.uid' : 'object.metadata.controller.uid';
    const view = this.#views.get(key) ?? new ShardView(field, this.#source);
    this.#views.set(key, view);
    return view;
  }
}

function keyOf({ apiVersion, plural }: ResourceType): string {
  return `${apiVersion} ${plural}`;
}
