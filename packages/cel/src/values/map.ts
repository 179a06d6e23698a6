import type { FieldName } from './field-name.ts';
import { Duration, Timestamp } from './time.ts';
import { Double, Uint, type Value } from './value.ts';

/** A map, or an object with the fields of its schema. */
export abstract class MapValue {
  abstract readonly size: number;
  /** Returns the value of a key; `undefined` when it is absent. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): readonly Value[];
  /** Returns the value of a field that the source names; in plain maps, of a key. */
  field(name: FieldName): Value | undefined {
    return this.get(name.escaped);
  }
}

type Key = string | number | bigint | boolean;

/** A map that an expression created. Keys other than scalars are looked up by equality. */
export class LiteralMap extends MapValue {
  readonly #entries: ReadonlyMap<Key, readonly [key: Value, value: Value]>;
  readonly #others: ReadonlyMap<string, readonly [key: Value, value: Value]>;

  constructor(entries: Iterable<readonly [Value, Value]>) {
    super();
    const byKey = new Map<Key, readonly [Value, Value]>();
    const others = new Map<string, readonly [Value, Value]>();
    for (const entry of entries) {
      const other = otherKeyOf(entry[0]);
      if (other === undefined) byKey.set(keyOf(entry[0])!, entry);
      else others.set(other, entry);
    }
    this.#entries = byKey;
    this.#others = others;
  }

  get size(): number {
    return this.#entries.size + this.#others.size;
  }

  get(key: Value): Value | undefined {
    const other = this.#others.size === 0 ? undefined : otherKeyOf(key);
    const found = keyOf(key);
    const entry = other === undefined ? undefined : this.#others.get(other);
    return (entry ?? (found === undefined ? undefined : this.#entries.get(found)))?.[1];
  }

  keys(): readonly Value[] {
    return Array.from([...this.#entries.values(), ...this.#others.values()], ([key]) => key);
  }
}

/** True when the value can be a key of a map literal. */
export function isKey(value: Value): boolean {
  return keyOf(value) !== undefined || otherKeyOf(value) !== undefined;
}

function otherKeyOf(value: Value): string | undefined {
  if (value === null) return 'null';
  if (value instanceof Double) return `double ${value.value}`;
  if (value instanceof Timestamp || value instanceof Duration) return `${value.constructor.name} ${value.nanos}`;
  return undefined;
}

/** Returns the lookup key: equal numbers are the same key, whatever their type. */
export function keyOf(key: Value): Key | undefined {
  if (key instanceof Uint) return key.value <= Number.MAX_SAFE_INTEGER ? Number(key.value) : key.value;
  if (key instanceof Double) return Number.isInteger(key.value) ? key.value : undefined;
  return typeof key === 'object' ? undefined : key;
}
