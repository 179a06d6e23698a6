import { Fifo } from '@pintle/async';

/** Item that waits for a worker. */
export interface ReadyItem {
  readonly group: string;
  priority: number;
  /** Time it became ready, by the monotonic clock. */
  readyMs: number;
  /** Counts how often it was queued; slots with an earlier ticket are void. */
  ticket: number;
}

/**
 * Orders ready items: by priority; within a priority, groups take turns; within a group, first in, first out.
 * Waiting raises the priority, so that no item starves.
 */
export class ReadyList<T extends ReadyItem> {
  readonly #ageingMs: number;
  readonly #levels = new Map<number, Level<T>>();
  #size = 0;

  /** Raises the priority by one for each `ageingMs` of waiting; 0 turns that off. */
  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    const level = this.#levels.get(item.priority) ?? new Level<T>();
    this.#levels.set(item.priority, level);
    level.push(item);
    this.#size++;
  }

  /** Counts an item out that the caller voided by changing its ticket. */
  dropVoid(): void {
    this.#size--;
  }

  /** Takes the next item whose group may run. */
  take(nowMs: number, isAllowed: (group: string) => boolean): T | undefined {
    if (this.#size === 0) return undefined;
    const levels = this.#levels.size === 1 ? this.#levels.values() : this.#inOrder(nowMs);
    for (const level of levels) {
      const item = level.take(isAllowed);
      if (item === undefined) continue;
      this.#size--;
      return item;
    }
    return undefined;
  }

  #inOrder(nowMs: number): Iterable<Level<T>> {
    const found: { readonly level: Level<T>; readonly rank: number }[] = [];
    for (const [priority, level] of this.#levels) {
      const oldest = level.oldestMs();
      if (oldest === undefined) this.#levels.delete(priority);
      else
        found.push({
          level,
          rank: priority + (this.#ageingMs > 0 ? Math.floor((nowMs - oldest) / this.#ageingMs) : 0),
        });
    }
    if (found.length > 1) found.sort((a, b) => b.rank - a.rank);
    return found.map(({ level }) => level);
  }
}

interface Slot<T> {
  readonly item: T;
  readonly ticket: number;
}

/** Items of one priority. */
class Level<T extends ReadyItem> {
  /** In the order of their turns. */
  readonly #groups = new Map<string, Fifo<Slot<T>>>();

  push(item: T): void {
    const queue = this.#groups.get(item.group) ?? new Fifo<Slot<T>>();
    this.#groups.set(item.group, queue);
    queue.push({ item, ticket: item.ticket });
  }

  take(isAllowed: (group: string) => boolean): T | undefined {
    for (const [group, queue] of this.#groups) {
      if (!isAllowed(group)) continue;
      const item = shiftValid(queue);
      if (this.#groups.size > 1) {
        this.#groups.delete(group);
        if (queue.size > 0) this.#groups.set(group, queue);
      }
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Returns the time since which the oldest item waits. */
  oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const [group, queue] of this.#groups) {
      const first = peekValid(queue);
      if (first === undefined) this.#groups.delete(group);
      else if (oldest === undefined || first.readyMs < oldest) oldest = first.readyMs;
    }
    return oldest;
  }
}

function shiftValid<T extends ReadyItem>(queue: Fifo<Slot<T>>): T | undefined {
  for (let slot = queue.shift(); slot !== undefined; slot = queue.shift()) {
    if (slot.item.ticket === slot.ticket) return slot.item;
  }
  return undefined;
}

function peekValid<T extends ReadyItem>(queue: Fifo<Slot<T>>): T | undefined {
  for (let slot = queue.peek(); slot !== undefined; slot = queue.peek()) {
    if (slot.item.ticket === slot.ticket) return slot.item;
    queue.shift();
  }
  return undefined;
}
