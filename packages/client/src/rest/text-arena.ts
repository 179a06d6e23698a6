import type { KubernetesObject } from '@pintle/machinery';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import { encodingOfJson } from './json-scanner.ts';
import type { TextSource } from './lazy-object.ts';
import { keyOf } from './lazy-object.ts';

/** Gaps between two texts up to this size are copied along: another copy costs more than a few bytes. */
const SMALL_GAP_BYTES = 64;

export interface TextArenaOptions<T> {
  /** Returns the part of an object that is kept. */
  readonly transform: (object: T) => T;
  /** Called when a text is not an object, before the error is thrown to the reader. */
  readonly onUnreadable?: (error: ClientError) => void;
}

/**
 * Stores the JSON of many objects in one buffer, so that the received chunks can be freed. Lives as long as one of them is
 * not parsed. Collects references first, and copies them all at once in `seal`, at the latest when the first is parsed.
 */
export class TextArena<T extends KubernetesObject> implements TextSource<T> {
  readonly #options: TextArenaOptions<T>;
  /** Set by `seal`. */
  #bytes: Buffer | undefined;
  #pieces: Piece[] = [];
  #size = 0;

  constructor(options: TextArenaOptions<T>) {
    this.#options = options;
  }

  /** Adds a text, or the first piece of one. Returns its start offset. */
  begin(bytes: Buffer, start: number, end: number): number {
    const last = this.#pieces[this.#pieces.length - 1];
    if (last === undefined || last.bytes !== bytes || start - last.end > SMALL_GAP_BYTES)
      return this.#append(bytes, start, end);
    const offset = this.#size + start - last.end;
    this.#size = offset + end - start;
    last.end = end;
    return offset;
  }

  /** Adds the next piece of a text. Returns its end offset. */
  add(bytes: Buffer, start: number, end: number): number {
    this.#append(bytes, start, end);
    return this.#size;
  }

  get size(): number {
    return this.#size;
  }

  get isSealed(): boolean {
    return this.#bytes !== undefined;
  }

  /** Copies the texts into one buffer. No more can be added. */
  seal(): Buffer {
    if (this.#bytes !== undefined) return this.#bytes;
    const copy = Buffer.allocUnsafeSlow(this.#size);
    let at = 0;
    for (const { bytes, start, end } of this.#pieces) at += bytes.copy(copy, at, start, end);
    this.#bytes = copy;
    this.#pieces = [];
    return copy;
  }

  read(key: string, start: number, end: number): T {
    let cause: unknown;
    try {
      const object = this.#parse(start, end);
      if (hasMetadata<T>(object) && keyOf(object) === key) return object;
    } catch (error) {
      cause = error;
    }
    const unreadable = new ClientError({ code: 'Unreadable', what: `${key} is not an object` }, { cause });
    this.#options.onUnreadable?.(unreadable);
    throw unreadable;
  }

  transform(object: T): T {
    return this.#options.transform(object);
  }

  #parse(start: number, end: number): unknown {
    const bytes = this.seal();
    const encoding = encodingOfJson(bytes, start, end);
    if (encoding === undefined) return parseJson(bytes.subarray(start, end), trustedLimits);
    return JSON.parse(bytes.toString(encoding, start, end));
  }

  #append(bytes: Buffer, start: number, end: number): number {
    const offset = this.#size;
    this.#pieces.push({ bytes, start, end });
    this.#size += end - start;
    return offset;
  }
}

interface Piece {
  readonly bytes: Buffer;
  readonly start: number;
  end: number;
}

function hasMetadata<T>(value: unknown): value is T {
  return isJsonObject(value) && isJsonObject(value.metadata);
}
