/** A first-in, first-out queue with `push` and `shift` in constant time. */
export class Fifo<T> implements Iterable<T> {
  #items: (T | undefined)[] = [];
  /** Index of the first item; those before it were removed. */
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** `undefined` when empty. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 32 && this.#head * 2 > this.#items.length) this.#compact();
    return item;
  }

  /** Returns the item that `shift` would return, without removing it. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  /** Removes one item at any position, in time proportional to the size. */
  remove(item: T): void {
    const position = this.#items.indexOf(item, this.#head);
    if (position !== -1) this.#items.splice(position, 1);
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let position = this.#head; position < this.#items.length; position++) yield this.#items[position] as T;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
