/** Why an object is looked after now. */
export type Reason =
  /** Something happened to an object: the main one, a child, or another it was mapped from. */
  | {
      readonly cause: 'added' | 'updated' | 'deleted';
      readonly kind: string;
      readonly namespace?: string | undefined;
      readonly name: string;
      /** It was there before the controller was. */
      readonly isInitial?: boolean;
    }
  /** An optional kind came or went. */
  | { readonly cause: 'kind-served' | 'kind-gone'; readonly kind: string }
  /** Something outside of the API, or somebody who put it into the queue. */
  | { readonly cause: 'external' }
  /** Its last reconcile asked for it, or failed. */
  | { readonly cause: 'requeued' | 'retried' };

/** Of so many reasons each object keeps the first; one busy object must not fill the memory. */
const MAX_KEPT = 16;

const NONE: readonly Reason[] = [];

/** What happened to each object since it was last looked after. */
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
