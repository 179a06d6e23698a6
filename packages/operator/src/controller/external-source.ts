import type { AddOptions } from '@pintle/client';
import type { Request } from './request.ts';
import type { Source } from './source.ts';

/**
 * Source of requests outside of the API: an async iterable (a `Channel`), or a function that calls `enqueue` until its signal
 * aborts. When it fails, the controller fails; when it ends, the controller goes on.
 */
export type ExternalSource =
  | AsyncIterable<Request>
  | ((
      enqueue: (request: Request, options?: AddOptions) => void,
      options: { readonly signal: AbortSignal },
    ) => Promise<void>);

export function externalSource(source: ExternalSource): Source {
  return {
    what: 'an external source',
    open: (sink) => {
      const enqueue = (request: Request, options?: AddOptions): void =>
        sink.enqueue(request, { cause: 'external' }, options);
      return {
        synced: Promise.resolve(),
        run: async ({ signal }) => {
          if (typeof source === 'function') await source(enqueue, { signal });
          else await takeAll(source, enqueue, signal);
        },
        [Symbol.dispose]: () => undefined,
      };
    },
  };
}

/** Stops at the abort even while the iterable waits for its next element. */
async function takeAll(
  requests: AsyncIterable<Request>,
  enqueue: (request: Request) => void,
  signal: AbortSignal,
): Promise<void> {
  const iterator = requests[Symbol.asyncIterator]();
  const aborted = new Promise<{ readonly done: true; readonly value: undefined }>((resolve) => {
    const end = (): void => resolve({ done: true, value: undefined });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  for (;;) {
    const next = await Promise.race([iterator.next(), aborted]);
    if (next.done) break;
    enqueue(next.value);
  }
  if (signal.aborted) void iterator.return?.();
}
