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

/** A type with fields, which `self.x` is checked against and `Name{x: 1}` creates. */
export interface StructDeclaration {
  readonly name: string;
  /** Returns the type of a field by its escaped name; `undefined` when it does not exist. */
  field(name: string): Type | undefined;
  /** Creates a value from checked fields. Absent for read-only types. */
  create?(fields: readonly (readonly [name: string, value: Value])[]): Value;
}

/** Declarations for expressions. */
export interface EnvironmentOptions {
  /** Types of variables by name. */
  readonly variables: Readonly<Record<string, Type>>;
  readonly libraries: readonly Library[];
  /** Returns struct types by name. */
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

  /** Returns the type that a name denotes as a value: `int`, `google.protobuf.Timestamp`. */
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

  /** Returns the type of a name: a variable's, or for a type's name the type of that type. */
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

/** Declarations of each list of libraries, merged once. */
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

/** Merges signatures of functions with one name in several libraries. */
function merge(before: FunctionDeclaration | undefined, next: FunctionDeclaration): FunctionDeclaration {
  if (before === undefined) return next;
  return { ...before, ...next, overloads: [...before.overloads, ...next.overloads] };
}
