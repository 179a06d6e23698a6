/**
 * Calls back once with the signal's reason: immediately when it has aborted, otherwise when it does. Disposing removes the
 * listener, so that a signal that lives as long as the process does not collect listeners.
 */
export function onAbort(signal: AbortSignal | undefined, callback: (reason: unknown) => void): Disposable {
  if (signal === undefined) return nothing;
  if (signal.aborted) {
    callback(signal.reason);
    return nothing;
  }
  const listener = () => callback(signal.reason);
  signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

/** Resolves with the reason once `signal` has aborted. */
export function onceAborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => onAbort(signal, resolve));
}

/**
 * Settles as `promise` does, or rejects with the signal's reason when it aborts first. The work behind `promise` continues;
 * only the wait for it ends.
 */
export async function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let listener = nothing;
  const aborted = new Promise<never>((_resolve, reject) => {
    listener = onAbort(signal, reject);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    listener[Symbol.dispose]();
  }
}

const nothing: Disposable = { [Symbol.dispose]: () => {} };
