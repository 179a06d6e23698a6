import type { Turns } from '@pintle/async';
import type { ApiResponse } from '../../request/exchange.ts';
import { PIECE_BYTES } from '../../request/exchange.ts';
import type { Pieces } from './value-writer.ts';

/** Bodies up to this size are sent in one piece, with their length; longer ones are streamed. */
export const WHOLE_BYTES = 1024 * 1024;

/** Returns a body of the pieces. Yields to other requests while they are encoded. */
export async function bodyOf(pieces: Pieces, turns: Turns): Promise<ApiResponse['body']> {
  return await bodyOfStream(pausing(pieces, turns));
}

async function* pausing(pieces: Pieces, turns: Turns): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece.length > 0) yield piece;
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
}

/**
 * Returns a body of the pieces: in one piece when it is short, else a stream. Errors within the first `wholeBytes` are
 * thrown.
 */
export async function bodyOfStream(
  pieces: AsyncGenerator<Uint8Array>,
  wholeBytes = WHOLE_BYTES,
): Promise<ApiResponse['body']> {
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= wholeBytes; ) {
    const { done, value } = await pieces.next();
    if (done) return first.length === 1 ? first[0]! : Buffer.concat(first);
    first.push(value);
    bytes += value.length;
  }
  return withFirst(first, pieces);
}

async function* withFirst(first: Uint8Array[], rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* emptied(first);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Yields the parts in order and drops each. */
function* emptied(list: Uint8Array[]): Generator<Uint8Array> {
  for (let part = list.shift(); part !== undefined; part = list.shift()) yield part;
}

/** Joins short pieces to pieces worth sending. */
export class PieceBuffer {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** Returns the joined pieces once they are large enough. */
  add(piece: Uint8Array): Uint8Array | undefined {
    if (piece.length > 0) this.#parts.push(piece);
    this.#bytes += piece.length;
    return this.#bytes >= PIECE_BYTES ? this.take() : undefined;
  }

  take(): Uint8Array {
    const whole = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}
