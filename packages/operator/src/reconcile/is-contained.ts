import { deepEqual, getOwn, isJsonObject } from '@pintle/machinery/json';

/**
 * True when an object has all fields of a configuration. Ignores other fields, which the server or other writers set. Lists
 * must have the same length and order: with items of other writers the result is false, which only costs a write.
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

/** True when `now` has a field or an item that `before` has not, whatever the values are. */
export function hasNewFields(now: unknown, before: unknown): boolean {
  if (now === undefined) return false;
  if (before === undefined) return true;
  if (Array.isArray(now)) {
    if (!Array.isArray(before) || now.length > before.length) return true;
    return now.some((item, index) => hasNewFields(item, before[index]));
  }
  if (!isJsonObject(now)) return false;
  if (!isJsonObject(before)) return true;
  return Object.keys(now).some((key) => hasNewFields(now[key], getOwn(before, key)));
}

function areMembersContained(wanted: { readonly [key: string]: unknown }, present: object): boolean {
  for (const key of Object.keys(wanted)) {
    if (!isContained(wanted[key], getOwn(present as { [key: string]: unknown }, key))) return false;
  }
  return true;
}
