import type { StructDeclaration } from '../check/environment.ts';
import { DYN, listType, STRING, structType, type Type } from '../types/type.ts';
import { MapValue } from '../values/map.ts';
import { CelError, type Value } from '../values/value.ts';

export const OBJECT: Type = structType('Object');
export const JSON_PATCH: Type = structType('JSONPatch');
/** What an expression of type JSONPatch must evaluate to. */
export const JSON_PATCHES: Type = listType(JSON_PATCH);

/** What `Object{spec: Object.spec{replicas: 3}}` makes: the fields that were given, and the type they were given for. */
export class MadeObject extends MapValue {
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

  /** Objects inside of it must be of the types their places ask for: `Object.spec` under `spec` of an `Object`. */
  misplaced(path: string = 'Object'): CelError | undefined {
    if (this.typeName !== path) {
      const expected = `expected "${path}", which matches field name path from root Object type`;
      return new CelError(`unexpected type name "${this.typeName}", ${expected}`);
    }
    for (const [name, value] of this.#fields) {
      const problem = value instanceof MadeObject ? value.misplaced(`${path}.${name}`) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

const patchFields: Readonly<Record<string, Type>> = { op: STRING, path: STRING, from: STRING, value: DYN };

/** The types mutations may make. An `Object` and what is inside of it may have any fields; nobody knows their types. */
export function findMutationType(name: string): StructDeclaration | undefined {
  const create = (fields: readonly (readonly [string, Value])[]): Value => new MadeObject(name, fields);
  if (name === 'Object' || name.startsWith('Object.')) return { name, field: () => DYN, create };
  if (name !== 'JSONPatch') return undefined;
  return { name, field: (field) => (Object.hasOwn(patchFields, field) ? patchFields[field] : undefined), create };
}
