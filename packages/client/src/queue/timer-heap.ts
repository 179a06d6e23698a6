/** Orders items by due time; equal times keep the order of insertion. */
export class TimerHeap<T> {
  readonly #slots: { readonly atMs: number; readonly order: number; readonly item: T }[] = [];
  #order = 0;

  get size(): number {
    return this.#slots.length;
  }

  /** Due time of the earliest item; `undefined` when empty. */
  get nextMs(): number | undefined {
    return this.#slots[0]?.atMs;
  }

  push(atMs: number, item: T): void {
    const slots = this.#slots;
    slots.push({ atMs, order: this.#order++, item });
    let child = slots.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }

  /** Removes and returns the earliest item if it is due by `nowMs`. */
  popDue(nowMs: number): T | undefined {
    const slots = this.#slots;
    const first = slots[0];
    if (first === undefined || first.atMs > nowMs) return undefined;
    const last = slots.pop()!;
    if (slots.length > 0) {
      slots[0] = last;
      this.#sink();
    }
    return first.item;
  }

  #sink(): void {
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < this.#slots.length && this.#isBefore(child, least)) least = child;
      }
      if (least === parent) return;
      this.#swap(least, parent);
      parent = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const left = this.#slots[a]!;
    const right = this.#slots[b]!;
    return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
  }

  #swap(a: number, b: number): void {
    [this.#slots[a], this.#slots[b]] = [this.#slots[b]!, this.#slots[a]!];
  }
}
