import type { KubernetesObject } from '@pintle/machinery';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import { encodingOfJson } from './json-scanner.ts';
import type { Source } from './sighting.ts';
import { keyOf } from './sighting.ts';

/** What lies between two texts is copied along when it is less than this: one copy costs more than a few bytes. */
const SMALL_GAP_BYTES = 64;

export interface SlabOptions<T> {
  /** Makes of an object what is to be kept. */
  readonly finish: (object: T) => T;
  /** Told when a text turns out to be none of an object, before that is thrown to whoever looked. */
  readonly onUnreadable?: (error: ClientError) => void;
}

/**
 * Texts of many objects, one after the other, so that what was received with them can go. It lives as long as one of
 * them is unread. Texts are noted first, and copied all at once by `seal`, at the latest when the first is read.
 */
export class Slab<T extends KubernetesObject> implements Source<T> {
  readonly #options: SlabOptions<T>;
  /** There once it is sealed. */
  #bytes: Buffer | undefined;
  #pieces: Piece[] = [];
  #size = 0;

  constructor(options: SlabOptions<T>) {
    this.#options = options;
  }

  /** Notes a text, or the first piece of one. Gives where it will stand. */
  begin(bytes: Buffer, start: number, end: number): number {
    const last = this.#pieces[this.#pieces.length - 1];
    if (last === undefined || last.bytes !== bytes || start - last.end > SMALL_GAP_BYTES)
      return this.#note(bytes, start, end);
    const place = this.#size + start - last.end;
    this.#size = place + end - start;
    last.end = end;
    return place;
  }

  /** Notes the next piece of a text. Gives where it will end. */
  add(bytes: Buffer, start: number, end: number): number {
    this.#note(bytes, start, end);
    return this.#size;
  }

  get size(): number {
    return this.#size;
  }

  get isSealed(): boolean {
    return this.#bytes !== undefined;
  }

  /** Takes in what was noted. Nothing more can be. */
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
    const unreadable = new ClientError({ code: 'Unreadable', what: `${key}, which is no object` }, { cause });
    this.#options.onUnreadable?.(unreadable);
    throw unreadable;
  }

  finish(object: T): T {
    return this.#options.finish(object);
  }

  #parse(start: number, end: number): unknown {
    const bytes = this.seal();
    const encoding = encodingOfJson(bytes, start, end);
    if (encoding === undefined) return parseJson(bytes.subarray(start, end), trustedLimits);
    return JSON.parse(bytes.toString(encoding, start, end));
  }

  #note(bytes: Buffer, start: number, end: number): number {
    const place = this.#size;
    this.#pieces.push({ bytes, start, end });
    this.#size += end - start;
    return place;
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
