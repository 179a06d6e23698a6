import type { Writable } from 'node:stream';

/** Resolves when a stream takes more, is closed, or `signal` aborts. */
export function drained(stream: Pick<Writable, 'once' | 'off'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close'] as const) stream.off(event, done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    for (const event of ['drain', 'close'] as const) stream.once(event, done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
