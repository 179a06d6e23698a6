import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import { after, waitForOwnTurn } from '@pintle/async';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { alterRequest, headerOf, tooManyRequests } from '../request/exchange.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import { withRequest } from '../request/pipeline.ts';
import { onRequestEnd } from '../request/request-end.ts';
import { isLongRunning } from '../request/request-info.ts';
import type { ClientMemory, Release, ResponseMemory } from '../request/response-memory.ts';
import { ANONYMOUS } from '../request/user-info.ts';
import { RequestBody } from './http2/server-stream.ts';
import { IncomingBody } from './incoming-body.ts';
import { MAX_BODY_BYTES } from './read-body.ts';

/** Memory that is counted for a body when it begins, and again whenever that much has arrived. */
const STEP_BYTES = 32 * 1024;
/** Bytes of a body after which reading yields. */
const TURN_BYTES = 256 * 1024;

/**
 * Passes a request on once its body has arrived, or exceeds the limit of writes. Stands before flow control, so that slow
 * clients hold memory, which is counted against them, and no seat. Does not wait for bodies of anonymous users, which are
 * refused unread, nor of `system:masters`, which needs no seat.
 */
export function bodyStage(memory: ResponseMemory): Stage {
  return (state, next) => {
    const { request, user, info } = state;
    if (isHere(request.body) || isLongRunning(info)) return next(state);
    if (user.username === ANONYMOUS.username || user.groups.includes('system:masters')) return next(state);
    const client = memory.clientOf(user, request.peer);
    return after(client.take(STEP_BYTES, request), (release) =>
      release === 'full' ? tooManyRequests() : new Arrival(client, request, release).passOn(state, next),
    );
  };
}

function isHere(body: ApiRequest['body']): boolean {
  if (body instanceof IncomingBody) return body.isHere;
  return body instanceof Uint8Array || (body instanceof RequestBody && body.isOver);
}

/** A body that is arriving. */
class Arrival {
  readonly #client: ClientMemory;
  readonly #request: ApiRequest;
  readonly #releases: Release[];
  readonly #chunks = new Chunks();
  #source: AsyncIterator<Uint8Array> | undefined;
  /** True when the request was answered. */
  #isOver = false;

  constructor(client: ClientMemory, request: ApiRequest, release: Release) {
    this.#client = client;
    this.#request = request;
    this.#releases = [release];
  }

  async passOn(state: RequestState, next: Next): Promise<ApiResponse> {
    try {
      const body = await this.#untilEnd(this.#arrive(this.#request.body as AsyncIterable<Uint8Array>));
      if (body === 'full') return tooManyRequests();
      return await next(withRequest(state, alterRequest(this.#request, { body })));
    } finally {
      this.#isOver = true;
      for (const release of this.#releases) release();
      // Ends an unread rest, so that the connection can discard it and accept the next request.
      void this.#source?.return?.().then(undefined, () => {});
    }
  }

  /** Returns the whole body; beyond the limit, what has arrived and then the rest. */
  async #arrive(body: AsyncIterable<Uint8Array>): Promise<ApiRequest['body'] | 'full'> {
    const source = body[Symbol.asyncIterator]();
    this.#source = source;
    let countedBytes = STEP_BYTES;
    let turnBytes = 0;
    while (this.#chunks.bytes <= MAX_BODY_BYTES) {
      const { done, value } = await source.next();
      if (done || this.#isOver) return joined(this.#chunks.take());
      this.#chunks.push(value);
      turnBytes += value.length;
      for (; countedBytes < this.#chunks.bytes; countedBytes += STEP_BYTES) {
        const release = await this.#client.take(STEP_BYTES, this.#request);
        if (release === 'full') return 'full';
        if (this.#isOver) release();
        else this.#releases.push(release);
      }
      if (turnBytes < TURN_BYTES) continue;
      turnBytes = 0;
      await waitForOwnTurn();
    }
    return arrivedAndRest(this.#chunks.take(), source);
  }

  /** Rejects when the request ends first, so that its memory is released. */
  #untilEnd<T>(arriving: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = onRequestEnd(this.#request, () =>
        reject(badRequestError('the request ended before the body was complete')),
      );
      arriving.then(resolve, reject).finally(() => forget());
    });
  }
}

async function* arrivedAndRest(
  arrived: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* arrived;
  try {
    for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}

/** Smaller responses take longer to compress than to send. */
const MIN_BYTES = 128 * 1024;
const OPTIONS = { level: 1 };
const COMPRESSIBLE = /^(application\/(json|yaml|vnd\.kubernetes\.protobuf|com\.github\.)|text\/plain)/;
const compress = promisify(gzip);

/**
 * Compresses large responses for clients that accept gzip, off the event loop. Leaves watches alone: each event should be
 * sent at once.
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

/** Compresses a shared document once for all responses. */
function compressOnce(body: Uint8Array): Promise<Uint8Array> {
  let small = documents.get(body);
  if (small === undefined) {
    small = compress(body, OPTIONS);
    documents.set(body, small);
    small.catch(() => documents.delete(body));
  }
  return small;
}

/** Excludes partial responses, whose range refers to the uncompressed bytes. */
function isCompressible({ status, headers, isProxyResponse }: ApiResponse): boolean {
  if (isProxyResponse || status === 206) return false;
  const type = headers['content-type'];
  return typeof type === 'string' && COMPRESSIBLE.test(type) && headers['content-encoding'] === undefined;
}

function acceptsGzip(request: ApiRequest): boolean {
  const clauses = headerOf(request, 'accept-encoding')?.split(',', 32) ?? [];
  return clauses.some(isGzipClause);
}

/** True when a clause such as `gzip;q=0.5` has gzip, or any encoding, with a weight above zero. */
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

/** Sets `vary`, because the body depends on the accepted encodings. */
function varied(response: ApiResponse, body: ApiResponse['body']): ApiResponse {
  if (response.headers['content-encoding'] !== undefined || isLarge(body)) response.headers.vary ??= 'Accept-Encoding';
  return body === response.body ? response : { ...response, body };
}

function isLarge(body: ApiResponse['body']): boolean {
  return !(body instanceof Uint8Array) || body.length > MIN_BYTES;
}

/** Returns the bytes of a small stream, or the stream with its first chunks restored. */
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

/** Compresses a stream. Leaving the result ends the body, and a failing body fails the result. */
function compressed(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const stream = createGzip(OPTIONS);
  pipeline(Readable.from(body, { objectMode: false }), stream, () => {});
  return stream;
}
