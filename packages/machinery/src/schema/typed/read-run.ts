import type { JsonValue } from '../../json/index.ts';
import { PathStack } from '../path-stack.ts';
import { TypedReadError } from './reader.ts';

/** As many unknown fields as Kubernetes' strict decoder lists. */
const maxUnknown = 100;
const maxDepth = 2_000;
/** What is sent empty matters to texts and counters only: nobody misses more of it. */
const maxEmptied = 1_000;

/** A list or map without anything in it, and where it stood. */
export interface SentEmpty {
  readonly path: readonly (string | number)[];
  readonly isList: boolean;
}

const NONE: readonly SentEmpty[] = [];

/** One reading of one body: where it stands, and what it has found. */
export class ReadRun {
  readonly unknown: string[] = [];
  /** What was sent empty and is left out, as Go leaves it out when it prints. */
  get emptied(): readonly SentEmpty[] {
    return this.#emptied ?? NONE;
  }
  readonly path = new PathStack();
  /** The struct fields on the way here. Keys of maps and positions in lists are no part of it. */
  readonly #fields: string[] = [];
  /** The name of the struct whose field is being read; empty at the root. */
  struct = '';
  /** How many lists the value being read is in. */
  listDepth = 0;
  /** Whole numbers that the document writes as `1.0` or `1e2`, by their paths. */
  readonly #floats: ReadonlyMap<string, string> | undefined;
  #mismatch: string | undefined;
  #emptied: SentEmpty[] | undefined;

  constructor(floats?: ReadonlyMap<string, string>) {
    this.#floats = floats;
  }

  /** Whether a number may be written otherwise than it looks: then every number is read by its reader. */
  get hasFloats(): boolean {
    return this.#floats !== undefined;
  }

  /** Whether the number that is being read is written as a float, which no integer of Go takes. */
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

  /** Lists a field nobody knows. There is nothing to keep of it. */
  dropUnknown(name: string): undefined {
    if (this.unknown.length < maxUnknown) this.unknown.push(this.path.child(name));
  }

  /** Remembers the field of that name as one that was sent empty. */
  noteEmpty(name: string, isList: boolean): void {
    this.#emptied ??= [];
    if (this.#emptied.length < maxEmptied) this.#emptied.push({ path: [...this.path.steps(), name], isList });
  }

  /**
   * A value that does not fit its Go type. The decoder goes on, to find errors that matter more; the first mismatch is
   * what it finally reports. Of numbers that do not fit a number, it shows the number.
   */
  mismatch(value: JsonValue, type: string, options: { readonly showsNumber?: boolean } = {}): void {
    this.#mismatch ??= this.#describe(value, type, options.showsNumber === true);
  }

  /** An error that the decoder remembers like a mismatch, in its own words. */
  remember(message: string): void {
    this.#mismatch ??= message;
  }

  /** A mismatch inside a type that decodes itself ends the reading at once. */
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
