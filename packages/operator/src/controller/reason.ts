/** Reason of a reconcile. */
export type Reason =
  /** Change of an object: the main one, a child, or another it was mapped from. */
  | {
      readonly cause: 'added' | 'updated' | 'deleted';
      readonly kind: string;
      readonly namespace?: string | undefined;
      readonly name: string;
      /** The object existed before the controller started. */
      readonly isInitial?: boolean;
    }
  /** The server started or stopped serving an optional kind. */
  | { readonly cause: 'kind-served' | 'kind-gone'; readonly kind: string }
  /** An external source, or a call of `enqueue`. */
  | { readonly cause: 'external' }
  /** The last reconcile requeued it, or failed. */
  | { readonly cause: 'requeued' | 'retried' };

/** Reasons kept per object, the first ones, so that a busy object does not fill the memory. */
const MAX_KEPT = 16;

const NONE: readonly Reason[] = [];

/** Collects the reasons of each object since its last reconcile. */
export class Reasons {
  readonly #byKey = new Map<string, Reason[]>();

  note(key: string, reason: Reason): void {
    const noted = this.#byKey.get(key);
    if (noted === undefined) this.#byKey.set(key, [reason]);
    else if (noted.length < MAX_KEPT) noted.push(reason);
  }

  take(key: string): readonly Reason[] {
    const noted = this.#byKey.get(key);
    if (noted === undefined) return NONE;
    this.#byKey.delete(key);
    return noted;
  }
}
