declare const brand: unique symbol;

/** A point in the store's history. Revisions only grow, by one per committed transaction; an empty store is at 0. */
export type Revision = number & { readonly [brand]: 'Revision' };

export const FIRST_REVISION = 0 as Revision;

/** Throws a RangeError unless `value` is a whole number from 0 to 2^53-1. */
export function toRevision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`Cannot use ${value} as a revision: it is not a whole number from 0 to 2^53-1`);
  return value as Revision;
}
