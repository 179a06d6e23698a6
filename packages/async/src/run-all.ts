import { setMaxListeners } from 'node:events';
import { onAbort } from './abort.ts';

/** Something that works until it is told to stop. */
export interface Runnable {
  /** Resolves once `signal` has aborted and everything this started has stopped. Rejects when it cannot go on. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/**
 * Runs all of them together until `signal` aborts. The first that fails stops the others. Settles when every one has
 * stopped: rejects with what the first failure was, resolves when there was none. One that ends by itself leaves the
 * others running; one that rejects because it was told to stop has not failed.
 */
export async function runAll(runnables: Iterable<Runnable>, options: { readonly signal: AbortSignal }): Promise<void> {
  const stop = new AbortController();
  // However many run, they all listen to one signal; that is no leak.
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
