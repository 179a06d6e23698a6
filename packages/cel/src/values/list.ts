import type { Value } from './value.ts';

/** A list. Items of one that views JSON are made when they are asked for. */
export abstract class ListValue {
  abstract readonly size: number;
  /** The item at a position that exists. */
  abstract at(index: number): Value;
  /** This list with the items of another behind its own. */
  abstract concat(other: ListValue): ListValue;

  /** All items, in order. */
  items(): readonly Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** The items an expression has put together. */
export class ArrayList extends ListValue {
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return this.#items[index]!;
  }

  override items(): readonly Value[] {
    return this.#items;
  }

  concat(other: ListValue): ListValue {
    return new JoinedList(this, other);
  }
}

/** Two lists as one, joined in one step and copied at the first look: `a + b + c` costs what its length is, once. */
export class JoinedList extends ListValue {
  readonly size: number;
  /** What the others were added to. */
  readonly first: ListValue;
  #parts: readonly [ListValue, ListValue] | undefined;
  #items: readonly Value[] | undefined;

  constructor(left: ListValue, right: ListValue) {
    super();
    this.size = left.size + right.size;
    this.first = left instanceof JoinedList ? left.first : left;
    this.#parts = [left, right];
  }

  at(index: number): Value {
    return this.items()[index]!;
  }

  concat(other: ListValue): ListValue {
    return new JoinedList(this, other);
  }

  override items(): readonly Value[] {
    if (this.#items !== undefined) return this.#items;
    const items: Value[] = new Array<Value>(this.size);
    // A chain of joins is deep on one side; it is walked with a stack of its own.
    const waiting: ListValue[] = [this];
    let end = this.size;
    for (let list = waiting.pop(); list !== undefined; list = waiting.pop()) {
      const parts: readonly [ListValue, ListValue] | undefined = list instanceof JoinedList ? list.#parts : undefined;
      if (parts !== undefined) {
        waiting.push(parts[0], parts[1]);
        continue;
      }
      for (let index = list.size - 1; index >= 0; index--) items[--end] = list.at(index);
    }
    this.#items = items;
    this.#parts = undefined;
    return items;
  }
}

export const emptyList: ListValue = new ArrayList([]);
