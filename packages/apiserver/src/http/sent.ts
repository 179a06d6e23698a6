import type { ApiRequest, ApiResponse } from './exchange.ts';

/**
 * The response, with `done` called exactly once when nothing more of it will be made: at once for bytes; for a stream
 * when it ends, fails or is left, or when the request's signal aborts.
 */
export function whenSent(response: ApiResponse, request: Pick<ApiRequest, 'signal'>, done: () => void): ApiResponse {
  if (response.body instanceof Uint8Array) {
    done();
    return response;
  }
  const source = response.body;
  const { signal } = request;
  let isDone = false;
  const finish = (): void => {
    if (isDone) return;
    isDone = true;
    signal.removeEventListener('abort', finish);
    done();
  };
  signal.addEventListener('abort', finish, { once: true });
  if (signal.aborted) finish();
  return { ...response, body: { [Symbol.asyncIterator]: () => reporting(source[Symbol.asyncIterator](), finish) } };
}

/** A generator would not do: one that is left before its first step runs none of its code. */
function reporting(source: AsyncIterator<Uint8Array>, finish: () => void): AsyncIterator<Uint8Array> {
  return {
    async next() {
      try {
        const result = await source.next();
        if (result.done) finish();
        return result;
      } catch (error) {
        finish();
        throw error;
      }
    },
    async return() {
      finish();
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** Lets go of a response that nobody will read. */
export async function discard(response: ApiResponse): Promise<void> {
  if (response.body instanceof Uint8Array) return;
  await response.body[Symbol.asyncIterator]().return?.();
}
