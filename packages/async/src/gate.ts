import { onAbort } from './abort.ts';

/** Makes callers of `wait` wait while it is closed. */
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

  /** Resumes all waiting callers, even when the gate closes again before they run. */
  open(): void {
    this.#isOpen = true;
    for (const letThrough of this.#waiting) letThrough();
    this.#waiting.clear();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Resolves immediately when the gate is open, otherwise when it opens. Rejects with the signal's reason. */
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
