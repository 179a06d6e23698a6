import { unsupportedMediaTypeError } from '@pintle/machinery/errors';
import type { ApiRequest } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { Encoding } from './content-negotiation.ts';
import { MEDIA_TYPES, parseMediaType } from './content-negotiation.ts';
import { RequestBody } from './http2/server-stream.ts';
import { IncomingBody } from './incoming-body.ts';

/** Kubernetes' limit for the body of a write. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`Cannot read the body: it is longer than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** Returns the whole body. Throws BodyTooLarge at the first byte beyond the limit. */
export async function readBody(request: Pick<ApiRequest, 'body'>, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  const { body } = request;
  if (body instanceof Uint8Array) {
    if (body.length > maxBytes) throw new BodyTooLarge(maxBytes);
    return body;
  }
  if (body instanceof IncomingBody || body instanceof RequestBody) {
    const all = await body.collect(maxBytes);
    if (all === undefined) throw new BodyTooLarge(maxBytes);
    return all;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
}

/** Returns the encoding of the body: JSON without a content type. Throws 415 for a type that is not accepted. */
export function bodyFormat(request: ApiRequest, accepted: readonly Encoding[]): Encoding {
  const header = headerOf(request, 'content-type');
  if (header === undefined || header.trim() === '') return 'json';
  const type = header === MEDIA_TYPES.json ? header : parseMediaType(header)?.type;
  const format = accepted.find((candidate) => MEDIA_TYPES[candidate] === type);
  if (format === undefined) {
    throw unsupportedMediaTypeError(accepted.map((candidate) => MEDIA_TYPES[candidate]));
  }
  return format;
}
