/** Nobody who owes is remembered beyond so many: they may put it off once more. */
const MAX_OWING = 10_000;

/**
 * Who just changed its children hears of them soon, and tells then what became of them: once instead of twice. But not
 * later than with the next look, for some change their children at every look.
 */
export class DeferredStatus {
  readonly #owing = new Set<string>();

  /** Whether to tell later: after a change, unless that was done already. */
  isPutOff(uid: string, { isChanged }: { readonly isChanged: boolean }): boolean {
    if (this.#owing.delete(uid) || !isChanged) return false;
    if (this.#owing.size >= MAX_OWING) this.#owing.clear();
    this.#owing.add(uid);
    return true;
  }
}
