import { deepEqual, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { ListType } from '@pintle/machinery/schema';
import { escapeFieldName, type FieldName, unescapeFieldName } from './field-name.ts';
import { JoinedList, ListValue } from './list.ts';
import { keyOf, MapValue } from './map.ts';
import { Duration, Timestamp } from './time.ts';
import type { CelError } from './value.ts';
import { Double, OpaqueValue, type Value } from './value.ts';

/** Converts a value of an object. */
export type Adapt = (json: JsonValue) => Value;

/** Correlation of a list's items: none, by value, or by key fields. */
export interface ListShape {
  readonly listType: ListType;
  /** Escaped names of the key fields, for keyed lists. */
  readonly keys: readonly FieldName[];
}

const atomic: ListShape = { listType: 'atomic', keys: [] };

/**
 * A list of an object. Sets are equal in any order and are concatenated without duplicates; keyed lists are merged by
 * key.
 */
export class JsonList extends ListValue {
  readonly #json: readonly JsonValue[];
  readonly #adapt: Adapt;
  readonly #values: (Value | undefined)[];
  readonly #shape: ListShape;
  /** True when it has a schema. */
  readonly isTyped: boolean;
  #items: readonly Value[] | undefined;

  constructor(json: readonly JsonValue[], adapt: Adapt, shape?: ListShape, values: Value[] = []) {
    super();
    this.#json = json;
    this.#adapt = adapt;
    this.#shape = shape ?? atomic;
    this.isTyped = shape !== undefined;
    this.#values = values;
  }

  get size(): number {
    return Math.max(this.#json.length, this.#values.length);
  }

  get listType(): ListType {
    return this.#shape.listType;
  }

  /** The JSON, for `weightOf`. */
  get source(): readonly JsonValue[] {
    return this.#json;
  }

  at(index: number): Value {
    const known = this.#values[index];
    if (known !== undefined) return known;
    const value = this.#adapt(this.#json[index]!);
    this.#values[index] = value;
    return value;
  }

  override items(): readonly Value[] {
    this.#items ??= super.items();
    return this.#items;
  }

  concat(other: ListValue): ListValue {
    if (this.listType === 'atomic') return new JoinedList(this, other);
    const values = [...this.items()];
    const positions = this.#positions();
    for (const item of other.items()) {
      const own = this.#asOwn(item);
      const key = this.#keyOf(own);
      const position = positions.get(key);
      if (position === undefined) {
        positions.set(key, values.length);
        values.push(own);
      } else if (this.listType === 'map') values[position] = own;
    }
    return new JsonList([], this.#adapt, this.#shape, values);
  }

  /** Compares each item of another list with its counterpart. The first that differs decides. */
  matchAll(other: ListValue, isSame: (mine: Value, theirs: Value) => boolean | CelError): boolean | CelError {
    const positions = this.#positions();
    for (const item of other.items()) {
      const position = positions.get(this.#keyOf(item));
      const same = position !== undefined && isSame(this.at(position), item);
      if (same !== true) return same;
    }
    return true;
  }

  /** Converts an object of another source by this list's schema. */
  #asOwn(item: Value): Value {
    return item instanceof JsonMap ? this.#adapt(item.source) : item;
  }

  #positions(): Map<string, number> {
    return new Map(this.items().map((item, index) => [this.#keyOf(item), index]));
  }

  #keyOf(item: Value): string {
    if (this.listType !== 'map' || !(item instanceof MapValue)) return identityOf(item);
    return JSON.stringify(this.#shape.keys.map((key) => identityOf(item.field(key) ?? null)));
  }
}

/** A map of an object: any names, values of one type. */
export class JsonMap extends MapValue {
  readonly source: JsonObject;
  readonly #adapt: Adapt;
  readonly #values = new Map<string, Value>();
  /** True when it has a schema. */
  readonly isTyped: boolean;
  #keys: readonly string[] | undefined;

  constructor(json: JsonObject, adapt: Adapt, { isTyped = false }: { readonly isTyped?: boolean } = {}) {
    super();
    this.source = json;
    this.#adapt = adapt;
    this.isTyped = isTyped;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.source, key)) return undefined;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = this.#adapt(this.source[key]!);
    this.#values.set(key, value);
    return value;
  }

  keys(): readonly string[] {
    this.#keys ??= Object.keys(this.source).sort();
    return this.#keys;
  }
}

/** An object with named fields. Fields without a schema exist but are not visible; null is absence. */
export class JsonStruct extends MapValue {
  readonly source: JsonObject;
  readonly #fields: ReadonlyMap<string, Adapt>;
  /** Fields that were accessed: views of children are created once. */
  readonly #values = new Map<string, Value>();
  #size: number | undefined;

  constructor(json: JsonObject, fields: ReadonlyMap<string, Adapt>) {
    super();
    this.source = json;
    this.#fields = fields;
  }

  get size(): number {
    this.#size ??= Object.keys(this.source).length;
    return this.#size;
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.#read(unescapeFieldName(key)) : undefined;
  }

  override field({ raw }: FieldName): Value | undefined {
    return this.#read(raw);
  }

  keys(): readonly string[] {
    return this.names().map((name) => escapeFieldName(name) ?? name);
  }

  /** Visible fields by their names in the object. */
  names(): readonly string[] {
    return Object.keys(this.source)
      .filter((name) => this.#fields.has(name))
      .sort();
  }

  named(name: string): Value | undefined {
    return this.#read(name);
  }

  get hasUnknownFields(): boolean {
    return Object.keys(this.source).some((name) => !this.#fields.has(name));
  }

  /** True when the fields without a schema that both have are equal. */
  sharesUnknownFields(other: JsonStruct): boolean {
    return Object.keys(this.source).every((name) => {
      if (this.#fields.has(name) || !Object.hasOwn(other.source, name)) return true;
      return deepEqual(this.source[name]!, other.source[name]!);
    });
  }

  #read(name: string | undefined): Value | undefined {
    if (name === undefined || !Object.hasOwn(this.source, name)) return undefined;
    const json = this.source[name]!;
    if (json === null) return undefined;
    // Scalars are converted as fast as they are looked up.
    if (typeof json !== 'object') return this.#fields.get(name)?.(json);
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = this.#fields.get(name)?.(json);
    if (value !== undefined) this.#values.set(name, value);
    return value;
  }
}

/** Returns a text that is the same for equal values only; for sets and keys. */
export function identityOf(value: Value): string {
  if (typeof value === 'string') return `"${value}`;
  const key = keyOf(value);
  if (key !== undefined) return String(key);
  if (value instanceof Timestamp || value instanceof Duration) return `${value.constructor.name} ${value.nanos}`;
  if (value instanceof Uint8Array) return `b${value.join(',')}`;
  if (value instanceof ListValue) return `[${value.items().map(identityOf).join()}]`;
  if (value instanceof MapValue) return `{${entriesOf(value).join()}}`;
  if (value instanceof Double) return `d${value.value}`;
  return value instanceof OpaqueValue ? `${value.type.name} ${value.text()}` : String(value);
}

function entriesOf(map: MapValue): string[] {
  return map
    .keys()
    .map((key) => `${JSON.stringify(identityOf(key))}:${identityOf(map.get(key)!)}`)
    .sort();
}
