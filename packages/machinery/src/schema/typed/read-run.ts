import type { JsonValue } from '../../json/index.ts';
import { PathStack } from '../path-stack.ts';
import { TypedReadError } from './reader.ts';

/** Most unknown fields that are listed, as in Kubernetes' strict decoder. */
const maxUnknown = 100;
const maxDepth = 2_000;
/** Most empty lists and maps that are remembered. They matter only to messages and generation counters. */
const maxEmptied = 1_000;

/** A list or map that was sent empty, and its path. */
export interface ExplicitEmpty {
  readonly path: readonly (string | number)[];
  readonly isList: boolean;
}

const NONE: readonly ExplicitEmpty[] = [];

/** The state of reading one body: the current path and the findings. */
export class ReadRun {
  readonly unknown: string[] = [];
  /** Fields that were sent empty and are omitted, as Go omits them when it prints. */
  get emptied(): readonly ExplicitEmpty[] {
    return this.#emptied ?? NONE;
  }
  readonly path = new PathStack();
  /** Struct fields on the path. Keys of maps and positions in lists are not included. */
  readonly #fields: string[] = [];
  /** The name of the struct whose field is being read; empty at the root. */
  struct = '';
  /** Number of lists around the value being read. */
  listDepth = 0;
  /** Numbers that the document writes as `1.0`, `1e2` or `1e-1`, by their paths. */
  readonly #floats: ReadonlyMap<string, string> | undefined;
  #mismatch: string | undefined;
  #emptied: ExplicitEmpty[] | undefined;

  constructor(floats?: ReadonlyMap<string, string>) {
    this.#floats = floats;
  }

  /** True when some number is written so: then no number takes the shortcut past its reader. */
  get hasFloats(): boolean {
    return this.#floats !== undefined;
  }

  /** True when the current number is written as a float, which Go refuses for integers. */
  isFloat(): boolean {
    return this.#floats?.has(this.path.toString()) ?? false;
  }

  enterField(name: string, goName: string): void {
    if (this.path.depth >= maxDepth) throw new TypedReadError('json: exceeded max depth');
    this.path.push(name);
    this.#fields.push(goName);
  }

  leaveField(): void {
    this.path.pop();
    this.#fields.pop();
  }

  /** Records an unknown field and drops its value. */
  dropUnknown(name: string): undefined {
    if (this.unknown.length < maxUnknown) this.unknown.push(this.path.child(name));
  }

  /** Records that the field was sent empty. */
  recordEmpty(name: string, isList: boolean): void {
    this.#emptied ??= [];
    if (this.#emptied.length < maxEmptied) this.#emptied.push({ path: [...this.path.steps(), name], isList });
  }

  /**
   * Records that a value does not fit its Go type. The decoder continues, because later errors may take precedence; it
   * finally reports the first mismatch. `showsNumber`: the message quotes the number.
   */
  mismatch(value: JsonValue, type: string, options: { readonly showsNumber?: boolean } = {}): void {
    this.#mismatch ??= this.#describe(value, type, options.showsNumber === true);
  }

  /** Records an error with a message of its own, as a mismatch. */
  recordError(message: string): void {
    this.#mismatch ??= message;
  }

  /** Throws for a mismatch inside a type with an `UnmarshalJSON` method, which ends the reading at once. */
  abort(value: JsonValue, type: string, options: { readonly showsNumber?: boolean } = {}): never {
    throw new TypedReadError(this.#describe(value, type, options.showsNumber === true));
  }

  finish(): void {
    if (this.#mismatch !== undefined) throw new TypedReadError(this.#mismatch);
  }

  #describe(value: JsonValue, type: string, showsNumber: boolean): string {
    const literal = this.#floats?.get(this.path.toString()) ?? value;
    const found = showsNumber && isNumber(value) ? `number ${literal}` : jsonKind(value);
    const target = this.struct === '' ? 'value' : `struct field ${this.struct}.${this.#fields.join('.')}`;
    return `json: cannot unmarshal ${found} into Go ${target} of type ${type}`;
  }
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function jsonKind(value: JsonValue): string {
  if (isNumber(value)) return 'number';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? 'array' : 'object';
}
