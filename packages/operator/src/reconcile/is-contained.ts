import { deepEqual, getOwn, isJsonObject } from '@pintle/machinery/json';

/**
 * Whether an object says all that a configuration says. What it says besides, others decided or the server filled in.
 * Lists have to be as long as in the configuration, and their items in the same order: where another's items stand
 * among ours the answer is a needless no.
 */
export function isContained(wanted: unknown, present: unknown): boolean {
  if (wanted === undefined) return true;
  if (isJsonObject(wanted)) return isJsonObject(present) && areMembersContained(wanted, present);
  if (!Array.isArray(wanted)) return deepEqual(wanted, present);
  if (!Array.isArray(present) || present.length !== wanted.length) return false;
  for (let index = 0; index < wanted.length; index++) {
    if (!isContained(wanted[index], present[index])) return false;
  }
  return true;
}

function areMembersContained(wanted: { readonly [key: string]: unknown }, present: object): boolean {
  for (const key of Object.keys(wanted)) {
    if (!isContained(wanted[key], getOwn(present as { [key: string]: unknown }, key))) return false;
  }
  return true;
}
