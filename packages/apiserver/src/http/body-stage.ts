import { after, ownTurn } from '@pintle/async';
import { Chunks, joined } from '@pintle/http2';
import { badRequestError } from '@pintle/machinery/errors';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { alterRequest, tooManyRequests } from '../request/exchange.ts';
import { isLongRunning } from '../request/long-running.ts';
import type { Next, RequestState, Stage } from '../request/pipeline.ts';
import { withRequest } from '../request/pipeline.ts';
import { onRequestEnd } from '../request/request-end.ts';
import type { ClientMemory, Release, ResponseMemory } from '../request/response-memory.ts';
import { ANONYMOUS } from '../request/user-info.ts';
import { RequestBody } from './http2/request-body.ts';
import { IncomingBody } from './incoming-body.ts';
import { MAX_BODY_BYTES } from './read-body.ts';

/** Counted for a request whose body is awaited, and again whenever so much of the body has arrived. */
const STEP_BYTES = 32 * 1024;
/** After so much of a body others have their turn. */
const TURN_BYTES = 256 * 1024;

/**
 * Passes a request on once its body has arrived, or more of it than a write may have. It stands before flow control, so that
 * clients that send slowly hold memory, which is counted against them, and no seat. Strangers are not waited for: they are
 * refused unread. `system:masters` needs no seat.
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

/** A body on its way. */
class Arrival {
  readonly #client: ClientMemory;
  readonly #request: ApiRequest;
  readonly #releases: Release[];
  readonly #chunks = new Chunks();
  #source: AsyncIterator<Uint8Array> | undefined;
  /** The request was answered. */
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
      // A rest that was not read is let go of, so that the connection can drop it and take the next request.
      void this.#source?.return?.().then(undefined, () => {});
    }
  }

  /** All of the body, or what has arrived and the rest of it. */
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
      await ownTurn();
    }
    return arrivedAndRest(this.#chunks.take(), source);
  }

  /** Rejects when the request ends first: nothing is held for it then. */
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
