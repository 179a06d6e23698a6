import { table } from '@pintle/machinery/table';
import type { StructDeclaration } from '../check/environment.ts';
import { DYN, listType, STRING, structType, type Type } from '../types/type.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { CelError, type Value } from '../values/value.ts';

export const OBJECT: Type = structType('Object');
export const JSON_PATCH: Type = structType('JSONPatch');
/** Type that an expression of type JSONPatch must evaluate to. */
export const JSON_PATCHES: Type = listType(JSON_PATCH);

/** Value of `Object{spec: Object.spec{replicas: 3}}`: the given fields and the name of the type. */
export class CelObject extends MapValue {
  readonly typeName: string;
  readonly #fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: Iterable<readonly [string, Value]>) {
    super();
    this.typeName = typeName;
    this.#fields = new Map(fields);
  }

  get size(): number {
    return this.#fields.size;
  }

  get(key: Value): Value | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined;
  }

  keys(): readonly Value[] {
    return [...this.#fields.keys()];
  }

  /**
   * Returns an error unless nested objects have the types of their fields: `Object.spec` under `spec` of an `Object`.
   */
  checkFieldTypes(path: string = 'Object'): CelError | undefined {
    const problems = [...fieldTypeErrors(this, path)];
    return problems.length === 0 ? undefined : new CelError(problems.join('\n'));
  }

  fields(): Iterable<readonly [string, Value]> {
    return this.#fields;
  }
}

/** Items of a list and values of a map have the type of the field that holds them. */
function* fieldTypeErrors(value: Value, path: string): Generator<string> {
  if (value instanceof CelObject) {
    const expected = `expected "${path}", which matches field name path from root Object type`;
    if (value.typeName !== path) yield `unexpected type name "${value.typeName}", ${expected}`;
    for (const [name, field] of value.fields()) yield* fieldTypeErrors(field, `${path}.${name}`);
  } else if (value instanceof ListValue) {
    for (const item of value.items()) yield* fieldTypeErrors(item, path);
  } else if (value instanceof MapValue) {
    for (const key of value.keys()) yield* fieldTypeErrors(value.get(key)!, path);
  }
}

const patchFields: Readonly<Record<string, Type>> = table({ op: STRING, path: STRING, from: STRING, value: DYN });

/** Type of unknown fields, which no value has. */
const UNKNOWN_FIELD = structType('');

/** Returns the types that mutations may create. An `Object` and nested ones may have any fields, of unknown types. */
export function findMutationType(name: string): StructDeclaration | undefined {
  const create = (fields: readonly (readonly [string, Value])[]): Value => new CelObject(name, fields);
  if (name === 'Object' || name.startsWith('Object.')) return { name, field: () => DYN, create };
  if (name !== 'JSONPatch') return undefined;
  return { name, field: (field) => (Object.hasOwn(patchFields, field) ? patchFields[field] : UNKNOWN_FIELD), create };
}
