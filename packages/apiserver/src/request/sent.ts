import type { ApiRequest, ApiResponse } from './exchange.ts';
import { PIECE_BYTES } from './outgoing.ts';
import { onRequestEnd } from './request-end.ts';

/** Somebody who wants to know what becomes of a response. */
interface SendObserver {
  /** Called exactly once when nothing more of the response will be made. */
  readonly done: () => void;
  /** Called for every chunk of a stream. */
  readonly chunk?: (bytes: Uint8Array) => void;
}

/**
 * The response, with `done` called exactly once when nothing more of it will be made: at once for bytes; for a stream
 * when it ends, fails or is left, or when the request ends.
 */
export function whenSent(
  response: ApiResponse,
  request: Pick<ApiRequest, 'signal' | 'onEnd'>,
  observer: SendObserver | (() => void),
): ApiResponse {
  const { body } = response;
  const told = typeof observer === 'function' ? { done: observer } : observer;
  if (body instanceof Uint8Array) {
    told.done();
    return response;
  }
  if (body instanceof ObservedBody) {
    body.add(told);
    return response;
  }
  return { ...response, body: new ObservedBody(body, request, told) };
}

/** As `whenSent`, but what is too long to be handed over at once is waited for until the client has taken it. */
export function whenTaken(
  response: ApiResponse,
  request: Pick<ApiRequest, 'signal' | 'onEnd' | 'onTaken'>,
  done: () => void,
): ApiResponse {
  const { body } = response;
  const isLong = body instanceof Uint8Array && body.length > PIECE_BYTES;
  if (!isLong || request.onTaken === undefined) return whenSent(response, request, done);
  request.onTaken(done);
  return response;
}

/**
 * A stream that tells what becomes of it: one object however many want to know, for there may be thousands of watches.
 * A generator would not do: one that is left before its first step runs none of its code.
 */
class ObservedBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
  readonly #body: AsyncIterable<Uint8Array>;
  readonly #observers: SendObserver[];
  readonly #unlisten: (() => void) | undefined;
  #source: AsyncIterator<Uint8Array> | undefined;
  #isDone = false;

  constructor(body: AsyncIterable<Uint8Array>, request: Pick<ApiRequest, 'signal' | 'onEnd'>, first: SendObserver) {
    this.#body = body;
    this.#observers = [first];
    this.#unlisten = onRequestEnd(request, () => this.#finish());
  }

  add(observer: SendObserver): void {
    if (this.#isDone) observer.done();
    else this.#observers.push(observer);
  }

  [Symbol.asyncIterator](): this {
    this.#source ??= this.#body[Symbol.asyncIterator]();
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return this.#source!.next().then(this.#tell, this.#fail);
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#finish();
    await this.#source!.return?.();
    return { done: true, value: undefined };
  }

  readonly #tell = (step: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
    if (step.done) this.#finish();
    else for (const { chunk } of this.#observers) chunk?.(step.value);
    return step;
  };

  readonly #fail = (error: unknown): never => {
    this.#finish();
    throw error;
  };

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    // Not yet there when the request had ended before anybody listened.
    this.#unlisten?.();
    for (const { done } of this.#observers) done();
  }
}

/** Lets go of a response that nobody will read. */
export async function discard(response: ApiResponse): Promise<void> {
  if (response.body instanceof Uint8Array) return;
  await response.body[Symbol.asyncIterator]().return?.();
}
