/** A body is handed to the socket in pieces of this size, so that a slow client can be told from a stuck one. */
export const PIECE_BYTES = 256 * 1024;

export function* pieces(body: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES);
}

/** A character of a header goes out as one byte. Warnings may hold any, which clients read as UTF-8. */
export function asUtf8(texts: string | string[]): string | string[] {
  const encode = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  return typeof texts === 'string' ? encode(texts) : texts.map(encode);
}
