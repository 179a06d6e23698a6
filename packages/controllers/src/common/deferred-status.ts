/** Owners that are remembered. Beyond this all are forgotten and may defer once more. */
const MAX_DEFERRED = 10_000;

/**
 * Defers the status update of an owner that has just changed its children: their events cause another sync soon, which
 * then writes one status instead of two. Defers once at most, because some owners change children in every sync.
 */
export class DeferredStatus {
  readonly #deferred = new Set<string>();

  /** True when the status is written in the next sync: after a change, unless it was deferred already. */
  shouldDefer(uid: string, { isChanged }: { readonly isChanged: boolean }): boolean {
    if (this.#deferred.delete(uid) || !isChanged) return false;
    if (this.#deferred.size >= MAX_DEFERRED) this.#deferred.clear();
    this.#deferred.add(uid);
    return true;
  }
}
