const FIRST_MS = 1_000;
const MAX_MS = 15 * 60_000;

/** Delays the replacement of pods that keep failing on a node, exponentially. Forgets a node without failures. */
export class FailedPodsBackoff {
  readonly #last = new Map<string, { readonly atMs: number; readonly delayMs: number }>();

  /** Returns how long to wait before the next replacement. `undefined` allows it now and counts it as done. */
  waitMs(key: string, nowMs: number): number | undefined {
    const last = this.#last.get(key);
    if (last !== undefined && nowMs < last.atMs + last.delayMs) return last.atMs + last.delayMs - nowMs;
    this.#forgetIdle(nowMs);
    const delayMs = this.#last.has(key) ? Math.min(2 * last!.delayMs, MAX_MS) : FIRST_MS;
    this.#last.set(key, { atMs: nowMs, delayMs });
    return undefined;
  }

  #forgetIdle(nowMs: number): void {
    for (const [key, { atMs }] of this.#last) if (nowMs - atMs > 2 * MAX_MS) this.#last.delete(key);
  }
}
