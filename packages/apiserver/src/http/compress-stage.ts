import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { after } from '@pintle/async';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { Stage } from '../request/pipeline.ts';

/** Smaller answers take longer to compress than to send. */
const MIN_BYTES = 128 * 1024;
const OPTIONS = { level: 1 };
const COMPRESSIBLE = /^(application\/(json|yaml|vnd\.kubernetes\.protobuf|com\.github\.)|text\/plain)/;
const compress = promisify(gzip);

/**
 * Large answers are compressed for clients that accept gzip, off the event loop. Watches are not: each of their events
 * should go out by itself.
 */
export const compressStage: Stage = (state, next) =>
  after(next(state), (response) => {
    if (isLongRunning(state.info) || !isCompressible(response)) return response;
    if (!isLarge(response.body) || !acceptsGzip(state.request)) return varied(response, response.body);
    return compressedAnswer(response);
  });

async function compressedAnswer(response: ApiResponse): Promise<ApiResponse> {
  const body = response.body instanceof Uint8Array ? response.body : await withoutSmall(response.body);
  if (!(body instanceof Uint8Array)) return encoded(response, compressed(body));
  if (body.length <= MIN_BYTES) return varied(response, body);
  return encoded(response, await (response.isShared ? compressOnce(body) : compress(body, OPTIONS)));
}

const documents = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/** Compresses a document once for all who ask for it. */
function compressOnce(body: Uint8Array): Promise<Uint8Array> {
  let small = documents.get(body);
  if (small === undefined) {
    small = compress(body, OPTIONS);
    documents.set(body, small);
    small.catch(() => documents.delete(body));
  }
  return small;
}

/** A part of a document is told by the bytes that were asked for: those are not changed. */
function isCompressible({ status, headers, isPassedOn }: ApiResponse): boolean {
  if (isPassedOn || status === 206) return false;
  const type = headers['content-type'];
  return typeof type === 'string' && COMPRESSIBLE.test(type) && headers['content-encoding'] === undefined;
}

function acceptsGzip(request: ApiRequest): boolean {
  const clauses = headerOf(request, 'accept-encoding')?.split(',', 32) ?? [];
  return clauses.some(isGzipClause);
}

/** Whether a clause such as `gzip;q=0.5` names gzip, or any encoding, with a weight above zero. */
function isGzipClause(clause: string): boolean {
  const [coding = '', weight, ...others] = clause.split(';', 3);
  const name = coding.trim().toLowerCase();
  if ((name !== 'gzip' && name !== '*') || others.length > 0) return false;
  return weight === undefined || isPositiveWeight(weight.trim());
}

function isPositiveWeight(weight: string): boolean {
  return /^q=(?:1|1\.0*|0?\.\d+)$/i.test(weight) && /[1-9]/.test(weight);
}

function encoded(response: ApiResponse, body: ApiResponse['body']): ApiResponse {
  response.headers['content-encoding'] = 'gzip';
  return varied(response, body);
}

/** Caches on the way must know that the body depends on what the client accepts. */
function varied(response: ApiResponse, body: ApiResponse['body']): ApiResponse {
  if (response.headers['content-encoding'] !== undefined || isLarge(body)) response.headers.vary ??= 'Accept-Encoding';
  return body === response.body ? response : { ...response, body };
}

function isLarge(body: ApiResponse['body']): boolean {
  return !(body instanceof Uint8Array) || body.length > MIN_BYTES;
}

/** Bytes when the whole stream is small, else the stream with its beginning put back. */
async function withoutSmall(body: AsyncIterable<Uint8Array>): Promise<ApiResponse['body']> {
  const iterator = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  for (let length = 0; length <= MIN_BYTES; ) {
    const { done, value } = await iterator.next();
    if (done) return Buffer.concat(read);
    read.push(value);
    length += value.length;
  }
  return rest(read, iterator);
}

async function* rest(read: readonly Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
  } finally {
    await iterator.return?.();
  }
}

/** Leaving the stream leaves the body; a body that fails makes the stream fail. */
function compressed(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const stream = createGzip(OPTIONS);
  pipeline(Readable.from(body, { objectMode: false }), stream, () => {});
  return stream;
}
