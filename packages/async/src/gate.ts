import { onAbort } from './abort.ts';

/** Lets everybody through while it is open and makes them wait while it is closed. */
export class Gate {
  /** Empty while the gate is open. */
  readonly #waiting = new Set<() => void>();
  #isOpen: boolean;

  constructor(options: { readonly isOpen?: boolean } = {}) {
    this.#isOpen = options.isOpen ?? false;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Everybody who waits goes through, even if the gate closes again before they run. */
  open(): void {
    this.#isOpen = true;
    for (const letThrough of this.#waiting) letThrough();
    this.#waiting.clear();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Resolves at once when the gate is open, else when it opens. Rejects with the signal's reason. */
  wait(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) return reject(options.signal.reason);
      if (this.#isOpen) return resolve();
      const letThrough = () => {
        listener[Symbol.dispose]();
        resolve();
      };
      this.#waiting.add(letThrough);
      const listener = onAbort(options.signal, (reason) => {
        this.#waiting.delete(letThrough);
        reject(reason);
      });
    });
  }
}
