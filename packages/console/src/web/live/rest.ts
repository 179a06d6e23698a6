import { Wakefulness } from './wakefulness.ts';

/** Time after which a hidden page closes its watches: all pages of a browser share one connection to the server. */
const REST_MS = 15_000;

const wakefulness = new Wakefulness();
let timer: number | undefined;

document.addEventListener('visibilitychange', () => {
  window.clearTimeout(timer);
  if (document.hidden) timer = window.setTimeout(() => wakefulness.rest(), REST_MS);
  else wakefulness.wake();
});

/** Aborts when the page rests; there is another one after it. */
export function restSignal(): AbortSignal {
  return wakefulness.signal;
}

/** Resolves when the page is seen, or when `signal` aborts. */
export function seen(signal: AbortSignal): Promise<void> {
  return wakefulness.seen(signal);
}
