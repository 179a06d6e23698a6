import type { Value } from './value.ts';

/** A list. Items of a view of JSON are converted when accessed. */
export abstract class ListValue {
  abstract readonly size: number;
  /** Returns the item at an existing position. */
  abstract at(index: number): Value;
  /** Returns this list followed by another. */
  abstract concat(other: ListValue): ListValue;

  /** Returns all items, in order. */
  items(): readonly Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list that an expression created. */
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

/** A list is copied once a quarter of it was read: fewer reads cost less than the copy. */
const READS_PER_COPY = 4;

/**
 * A concatenation that is copied when it is read whole: `a + b + c` takes time in proportion to its length, once, and `(a + b)[0]`
 * takes none.
 */
export class JoinedList extends ListValue {
  readonly size: number;
  /** The first list of the concatenation. */
  readonly first: ListValue;
  #parts: readonly [ListValue, ListValue] | undefined;
  #items: readonly Value[] | undefined;
  #reads = 0;

  constructor(left: ListValue, right: ListValue) {
    super();
    this.size = left.size + right.size;
    this.first = left instanceof JoinedList ? left.first : left;
    this.#parts = [left, right];
  }

  at(index: number): Value {
    if (this.#items === undefined && ++this.#reads * READS_PER_COPY < this.size) return this.#find(index);
    return this.items()[index]!;
  }

  concat(other: ListValue): ListValue {
    return new JoinedList(this, other);
  }

  #find(index: number): Value {
    let list: ListValue = this;
    let rest = index;
    while (list instanceof JoinedList && list.#parts !== undefined) {
      const [left, right]: readonly [ListValue, ListValue] = list.#parts;
      const isLeft = rest < left.size;
      if (!isLeft) rest -= left.size;
      list = isLeft ? left : right;
    }
    return list.at(rest);
  }

  override items(): readonly Value[] {
    if (this.#items !== undefined) return this.#items;
    const items: Value[] = new Array<Value>(this.size);
    // Chains of concatenations are deep on one side and are walked with an explicit stack.
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
