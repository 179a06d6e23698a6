import type { FunctionDeclaration, Library } from '../functions/declare.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  optionalType,
  STRING,
  structType,
  TIMESTAMP,
  type Type,
  typeType,
  UINT,
} from '../types/type.ts';
import type { Value } from '../values/value.ts';

/** A type with fields: what `self.x` is checked against, and what `Name{x: 1}` makes. */
export interface StructDeclaration {
  readonly name: string;
  /** The type of a field, by the name expressions use; `undefined` when there is no such field. */
  field(name: string): Type | undefined;
  /** Makes a value of fields that were checked. Absent where expressions may only read. */
  create?(fields: readonly (readonly [name: string, value: Value])[]): Value;
}

/** What expressions may speak of. */
export interface EnvironmentOptions {
  /** The variables, and what they are. */
  readonly variables: Readonly<Record<string, Type>>;
  readonly libraries: readonly Library[];
  /** Struct types by name; names that are not here are no types. */
  readonly findStruct?: (name: string) => StructDeclaration | undefined;
}

export class Environment {
  readonly #variables: ReadonlyMap<string, Type>;
  readonly #vocabulary: Vocabulary;
  readonly #findStruct: (name: string) => StructDeclaration | undefined;

  constructor(options: EnvironmentOptions) {
    this.#variables = new Map(Object.entries(options.variables));
    this.#vocabulary = vocabularyOf(options.libraries);
    this.#findStruct = options.findStruct ?? (() => undefined);
  }

  get variables(): ReadonlyMap<string, Type> {
    return this.#variables;
  }

  variable(name: string): Type | undefined {
    return this.#variables.get(name);
  }

  /** The type a name stands for when it is used as a value: `int`, `google.protobuf.Timestamp`. */
  typeNamed(name: string): Type | undefined {
    const known = this.#vocabulary.types.get(name);
    if (known !== undefined) return known;
    return this.#findStruct(name) === undefined ? undefined : structType(name);
  }

  struct(name: string): StructDeclaration | undefined {
    return this.#findStruct(name);
  }

  function(name: string): FunctionDeclaration | undefined {
    return this.#vocabulary.functions.get(name);
  }

  /** The type of a name: a variable's own, or of a type's name the type of that type. */
  identifier(name: string): Type | undefined {
    const variable = this.variable(name);
    if (variable !== undefined) return variable;
    const type = this.typeNamed(name);
    return type === undefined ? undefined : typeType(type);
  }
}

interface Vocabulary {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: ReadonlyMap<string, Type>;
}

const standardTypes: readonly Type[] = [
  ...[BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, UINT],
  ...[listType(DYN), mapType(DYN, DYN), optionalType(DYN), typeType(DYN)],
];

/** Libraries are put together once for each list of them. */
const vocabularies = new WeakMap<readonly Library[], Vocabulary>();

function vocabularyOf(libraries: readonly Library[]): Vocabulary {
  const known = vocabularies.get(libraries);
  if (known !== undefined) return known;
  const functions = new Map<string, FunctionDeclaration>();
  const types = new Map(standardTypes.map((type) => [type.name, type]));
  for (const library of libraries) {
    for (const declared of library.functions)
      functions.set(declared.name, merge(functions.get(declared.name), declared));
    for (const type of library.types ?? []) types.set(type.name, type);
  }
  const vocabulary = { functions, types };
  vocabularies.set(libraries, vocabulary);
  return vocabulary;
}

/** Several libraries may give one name further signatures. */
function merge(before: FunctionDeclaration | undefined, next: FunctionDeclaration): FunctionDeclaration {
  if (before === undefined) return next;
  return { ...before, ...next, overloads: [...before.overloads, ...next.overloads] };
}
