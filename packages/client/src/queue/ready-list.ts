import { Fifo } from '@pintle/async';

/** Something that waits for its turn. */
export interface ReadyItem {
  readonly group: string;
  priority: number;
  /** When it became ready, by a clock that only grows. */
  readyMs: number;
  /** Counts how often it was put in line; a place taken before is void. */
  ticket: number;
}

/**
 * Who is next: the highest priority first; within one, groups take turns; within a group, first come, first served.
 * Waiting adds to a priority, so nobody waits for ever.
 */
export class ReadyList<T extends ReadyItem> {
  readonly #ageingMs: number;
  readonly #levels = new Map<number, Level<T>>();
  #size = 0;

  /** Waiting `ageingMs` is worth one step of priority; 0: nothing. */
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

  /** It moved elsewhere: its place here is skipped. The caller has changed its ticket. */
  leave(): void {
    this.#size--;
  }

  /** The next one whose group may run. */
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
    const found: { readonly level: Level<T>; readonly worth: number }[] = [];
    for (const [priority, level] of this.#levels) {
      const oldest = level.oldestMs();
      if (oldest === undefined) this.#levels.delete(priority);
      else
        found.push({
          level,
          worth: priority + (this.#ageingMs > 0 ? Math.floor((nowMs - oldest) / this.#ageingMs) : 0),
        });
    }
    if (found.length > 1) found.sort((a, b) => b.worth - a.worth);
    return found.map(({ level }) => level);
  }
}

interface Place<T> {
  readonly item: T;
  readonly ticket: number;
}

/** One priority. */
class Level<T extends ReadyItem> {
  /** In the order of their next turn. */
  readonly #groups = new Map<string, Fifo<Place<T>>>();

  push(item: T): void {
    const line = this.#groups.get(item.group) ?? new Fifo<Place<T>>();
    this.#groups.set(item.group, line);
    line.push({ item, ticket: item.ticket });
  }

  take(isAllowed: (group: string) => boolean): T | undefined {
    for (const [group, line] of this.#groups) {
      if (!isAllowed(group)) continue;
      const item = shiftValid(line);
      if (this.#groups.size > 1) {
        this.#groups.delete(group);
        if (line.size > 0) this.#groups.set(group, line);
      }
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Since when the one who has waited longest waits. */
  oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const [group, line] of this.#groups) {
      const first = peekValid(line);
      if (first === undefined) this.#groups.delete(group);
      else if (oldest === undefined || first.readyMs < oldest) oldest = first.readyMs;
    }
    return oldest;
  }
}

function shiftValid<T extends ReadyItem>(line: Fifo<Place<T>>): T | undefined {
  for (let place = line.shift(); place !== undefined; place = line.shift()) {
    if (place.item.ticket === place.ticket) return place.item;
  }
  return undefined;
}

function peekValid<T extends ReadyItem>(line: Fifo<Place<T>>): T | undefined {
  for (let place = line.peek(); place !== undefined; place = line.peek()) {
    if (place.item.ticket === place.ticket) return place.item;
    line.shift();
  }
  return undefined;
}
