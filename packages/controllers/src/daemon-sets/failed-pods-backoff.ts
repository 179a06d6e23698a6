const FIRST_MS = 1_000;
const MAX_MS = 15 * 60_000;

/** Pods that fail again and again on a node are replaced ever more slowly. A node that was quiet starts anew. */
export class FailedPodsBackoff {
  readonly #last = new Map<string, { readonly atMs: number; readonly delayMs: number }>();

  /** How long to wait before the next replacement; `undefined`: it may be now, and counts as done. */
  waitMs(key: string, nowMs: number): number | undefined {
    const last = this.#last.get(key);
    if (last !== undefined && nowMs < last.atMs + last.delayMs) return last.atMs + last.delayMs - nowMs;
    this.#forgetQuiet(nowMs);
    const delayMs = this.#last.has(key) ? Math.min(2 * last!.delayMs, MAX_MS) : FIRST_MS;
    this.#last.set(key, { atMs: nowMs, delayMs });
    return undefined;
  }

  #forgetQuiet(nowMs: number): void {
    for (const [key, { atMs }] of this.#last) if (nowMs - atMs > 2 * MAX_MS) this.#last.delete(key);
  }
}
