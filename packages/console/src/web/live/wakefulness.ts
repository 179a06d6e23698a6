/** Whether a page rests, and who waits for its end. */
export class Wakefulness {
  #resting = new AbortController();
  readonly #waiting = new Set<() => void>();

  /** Aborts with the next rest; there is another one after it. */
  get signal(): AbortSignal {
    return this.#resting.signal;
  }

  rest(): void {
    this.#resting.abort();
  }

  wake(): void {
    if (!this.signal.aborted) return;
    this.#resting = new AbortController();
    for (const end of [...this.#waiting]) end();
  }

  /** Resolves when nothing rests, or when `signal` aborts. */
  seen(signal: AbortSignal): Promise<void> {
    if (!this.signal.aborted || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', end);
    });
  }
}
