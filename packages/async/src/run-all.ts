import { setMaxListeners } from 'node:events';
import { onAbort } from './abort.ts';

/** Work that lasts until its signal aborts. */
export interface Runnable {
  /** Resolves once `signal` has aborted and everything this started has stopped. Rejects on failure. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/**
 * Runs all of them until `signal` aborts. The first failure stops the others. Settles when all have stopped: rejects with the
 * first failure, and resolves when there was none. One that ends by itself leaves the others running. A rejection after the
 * abort is no failure.
 */
export async function runAll(runnables: Iterable<Runnable>, options: { readonly signal: AbortSignal }): Promise<void> {
  const stop = new AbortController();
  // All of them listen to this signal, which is no leak.
  setMaxListeners(0, stop.signal);
  using _listener = onAbort(options.signal, (reason) => stop.abort(reason));
  let failure: { readonly cause: unknown } | undefined;
  const runOne = async (runnable: Runnable) => {
    try {
      await runnable.run({ signal: stop.signal });
    } catch (cause) {
      if (stop.signal.aborted) return;
      failure = { cause };
      stop.abort(cause);
    }
  };
  await Promise.all(Array.from(runnables, runOne));
  if (failure !== undefined) throw failure.cause;
}
