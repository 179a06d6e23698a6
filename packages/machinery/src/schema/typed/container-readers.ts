import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';
import type { ZeroRule } from '../schema.ts';
import type { ReadRun } from './read-run.ts';
import type { PlainKind, Reader } from './reader.ts';

/** Reads a list. A null item becomes the zero value of the item's type. */
export class ListReader implements Reader {
  readonly goType: string;
  readonly plainKind = 'none';
  readonly holdsMany = true;
  readonly #item: Reader;

  constructor(goType: string, item: Reader) {
    this.goType = goType;
    this.#item = item;
  }

  isPlain(): boolean {
    return false;
  }

  read(value: JsonValue, run: ReadRun): JsonValue {
    if (!Array.isArray(value)) {
      run.mismatch(value, this.goType);
      return value;
    }
    let copy: JsonValue[] | undefined;
    run.listDepth++;
    for (let index = 0; index < value.length; index++) {
      const given = value[index]!;
      const read = this.#readItem(given, index, run);
      if (read !== given) copy ??= value.slice();
      if (copy !== undefined) copy[index] = read;
    }
    run.listDepth--;
    return copy ?? value;
  }

  zero(): JsonValue {
    return null;
  }

  isZero(value: JsonValue): boolean {
    return Array.isArray(value) && value.length === 0;
  }

  #readItem(given: JsonValue, index: number, run: ReadRun): JsonValue {
    if (given === null) return this.#item.zero();
    if (!run.hasFloats && this.#item.isPlain(given)) return given;
    run.path.push(index);
    const read = this.#item.read(given, run);
    run.path.pop();
    return read;
  }
}

/** Reads a map with free keys. A null value becomes the zero value of the value's type. */
export class MapReader implements Reader {
  readonly goType: string;
  readonly plainKind = 'none';
  readonly holdsMany = true;
  readonly #value: Reader;

  constructor(goType: string, value: Reader) {
    this.goType = goType;
    this.#value = value;
  }

  isPlain(): boolean {
    return false;
  }

  read(value: JsonValue, run: ReadRun): JsonValue {
    if (!isJsonObject(value)) {
      run.mismatch(value, this.goType);
      return value;
    }
    let copy: JsonObject | undefined;
    for (const name of Object.keys(value)) {
      const given = value[name]!;
      const read = this.#readValue(given, name, run);
      if (read === given) continue;
      copy ??= { ...value };
      setOwn(copy, name, read);
    }
    return copy ?? value;
  }

  zero(): JsonValue {
    return null;
  }

  isZero(value: JsonValue): boolean {
    return isEmptyObject(value);
  }

  #readValue(given: JsonValue, name: string, run: ReadRun): JsonValue {
    // A map cannot hold nil bytes: Go stores and prints them as empty ones.
    if (given === null) return this.#value.goType === '[]uint8' ? '' : this.#value.zero();
    if (!run.hasFloats && this.#value.isPlain(given)) return given;
    run.path.push(name);
    const read = this.#value.read(given, run);
    run.path.pop();
    return read;
  }
}

/** A field of a struct, and the rule for its zero value. */
interface Field {
  readonly name: string;
  /** The name in errors: below that of the struct in which the field is embedded. */
  readonly goName: string;
  readonly zero: ZeroRule;
  /** A pointer without `omitempty`: Go prints null while it is unset. */
  readonly printsNull: boolean;
  readonly reader: Reader;
  readonly plainKind: PlainKind;
}

/** Reads a struct: its fields by their exact names, and nothing else. */
export class StructReader implements Reader {
  readonly goType: string;
  readonly plainKind = 'none';
  readonly #name: string;
  readonly #fields = new Map<string, Field>();
  readonly #emitted: Field[] = [];

  constructor(goType: string, name: string) {
    this.goType = goType;
    this.#name = name;
  }

  /** Adds a field after construction, because a struct may contain itself. */
  add(field: Field): void {
    this.#fields.set(field.name, field);
    if (field.zero === 'emit' || field.printsNull) this.#emitted.push(field);
  }

  isPlain(): boolean {
    return false;
  }

  read(value: JsonValue, run: ReadRun): JsonValue {
    if (!isJsonObject(value)) {
      run.mismatch(value, this.goType);
      return value;
    }
    const outer = run.struct;
    run.struct = this.#name;
    const known = this.#readFields(value, run);
    run.struct = outer;
    return this.#fill(known, value);
  }

  zero(): JsonValue {
    return this.#fill({}, undefined);
  }

  isZero(value: JsonValue): boolean {
    return isEmptyObject(value);
  }

  /** Returns the object itself as long as no field changes, and a copy from the first changed field on. */
  #readFields(object: JsonObject, run: ReadRun): JsonObject {
    let copy: JsonObject | undefined;
    for (const name of Object.keys(object)) {
      const given = object[name]!;
      const field = this.#fields.get(name);
      const read = field === undefined ? run.dropUnknown(name) : readField(field, given, run);
      if (read !== given) copy ??= copyBefore(object, name);
      if (copy !== undefined && read !== undefined) setOwn(copy, name, read);
    }
    return copy ?? object;
  }

  #fill(object: JsonObject, shared: JsonObject | undefined): JsonObject {
    let filled = object;
    for (const { name, reader, printsNull } of this.#emitted) {
      if (Object.hasOwn(filled, name)) continue;
      if (filled === shared) filled = { ...filled };
      setOwn(filled, name, printsNull ? null : reader.zero());
    }
    return filled;
  }
}

/** Returns the value to keep; `undefined` when the field is omitted. */
function readField(field: Field, given: JsonValue, run: ReadRun): JsonValue | undefined {
  const { reader, zero, printsNull } = field;
  if (given === null) return printsNull || (zero === 'emit' && reader.zero() === null) ? null : undefined;
  let read: JsonValue = given;
  if (run.hasFloats || (!isPlain(field.plainKind, given) && !reader.isPlain(given))) {
    run.enterField(field.name, field.goName);
    read = reader.read(given, run);
    run.leaveField();
  }
  if (zero === 'keep' || !reader.isZero(read)) return read;
  if (zero === 'emit' && !(run.listDepth > 0 && Array.isArray(read))) return read;
  if (reader.holdsMany) run.recordEmpty(field.name, Array.isArray(read));
  return zero === 'omit' ? undefined : null;
}

function isPlain(kind: PlainKind, value: JsonValue): boolean {
  if (kind === 'string') return typeof value === 'string';
  if (kind === 'int32') return typeof value === 'number' && (value | 0) === value;
  return kind === 'boolean' && typeof value === 'boolean';
}

function copyBefore(object: JsonObject, end: string): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(object)) {
    if (name === end) break;
    setOwn(copy, name, object[name]!);
  }
  return copy;
}

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
