import type { FieldName } from './field-name.ts';
import { Double, Uint, type Value } from './value.ts';

/** A map, or an object with the fields its schema names: both are asked the same way. */
export abstract class MapValue {
  abstract readonly size: number;
  /** The value under a key, `undefined` when there is none. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): readonly Value[];
  /** The value of a field named in the source; for plain maps names are keys. */
  field(name: FieldName): Value | undefined {
    return this.get(name.escaped);
  }
}

type Key = string | number | bigint | boolean;

/** The entries an expression has put together. */
export class LiteralMap extends MapValue {
  readonly #entries: ReadonlyMap<Key, readonly [key: Value, value: Value]>;

  constructor(entries: Iterable<readonly [Value, Value]>) {
    super();
    const byKey = new Map<Key, readonly [Value, Value]>();
    for (const entry of entries) byKey.set(keyOf(entry[0])!, entry);
    this.#entries = byKey;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const found = keyOf(key);
    return found === undefined ? undefined : this.#entries.get(found)?.[1];
  }

  keys(): readonly Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }
}

/** What a key is found by: numbers that are equal are the same key, whatever their type. */
export function keyOf(key: Value): Key | undefined {
  if (key instanceof Uint) return key.value <= Number.MAX_SAFE_INTEGER ? Number(key.value) : key.value;
  if (key instanceof Double) return Number.isInteger(key.value) ? key.value : undefined;
  return typeof key === 'object' ? undefined : key;
}
