/** Time after which a hidden page closes its watches: all pages of a browser share one connection to the server. */
const REST_MS = 15_000;

let resting = new AbortController();
let timer: number | undefined;
const waiting = new Set<() => void>();

document.addEventListener('visibilitychange', () => {
  window.clearTimeout(timer);
  if (document.hidden) timer = window.setTimeout(() => resting.abort(), REST_MS);
  else if (resting.signal.aborted) {
    resting = new AbortController();
    for (const wake of waiting) wake();
    waiting.clear();
  }
});

/** Aborts when the page rests; there is another one after it. */
export function restSignal(): AbortSignal {
  return resting.signal;
}

/** Resolves when the page is seen, or when `signal` aborts. */
export function seen(signal: AbortSignal): Promise<void> {
  if (!resting.signal.aborted || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
