import type { Source } from './sighting.ts';

/** What lies between two texts is copied along when it is less than this: one copy costs more than a few bytes. */
const SMALL_GAP_BYTES = 64;

/**
 * Texts of many objects, one after the other, so that what was received with them can go. It lives as long as one of
 * them is unread. Texts are noted first, and copied all at once by `seal`.
 */
export class Slab<T> implements Source<T> {
  /** Makes of an object what is to be kept. */
  readonly finish: (object: T) => T;
  #bytes: Buffer = EMPTY;
  #encoding: 'latin1' | 'utf8' = 'latin1';
  #pieces: Piece[] = [];
  #size = 0;

  constructor(finish: (object: T) => T) {
    this.finish = finish;
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

  /** Takes in what was noted. */
  seal({ isAscii }: { readonly isAscii: boolean }): void {
    const copy = Buffer.allocUnsafeSlow(this.#size);
    let at = 0;
    for (const { bytes, start, end } of this.#pieces) at += bytes.copy(copy, at, start, end);
    this.#bytes = copy;
    this.#encoding = isAscii ? 'latin1' : 'utf8';
    this.#pieces = [];
  }

  textAt(start: number, end: number): string {
    return this.#bytes.toString(this.#encoding, start, end);
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

const EMPTY = Buffer.alloc(0);
