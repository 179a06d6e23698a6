import type { KubernetesObject } from '@pintle/machinery';
import { asJson, estimateJsonBytes } from '@pintle/machinery/json';

/** Bytes of JSON that a page should have: what is parsed in one turn of the event loop. */
const PAGE_BYTES = 256 * 1024;
const MAX_PAGE_SIZE = 500;

/** Size of the first page of a list whose objects are not known yet. */
export const FIRST_PAGE_SIZE = 4;

/**
 * Returns the size of the page after one with these objects, so that it has about 256 KiB: a page of many large objects blocks
 * the process while it is parsed, and with it a server in the same process.
 */
export function pageSizeAfter(objects: readonly KubernetesObject[]): number {
  let bytes = 0;
  for (const object of objects) bytes += estimateJsonBytes(asJson(object), PAGE_BYTES);
  const fitting = Math.floor((PAGE_BYTES * objects.length) / Math.max(1, bytes));
  return Math.min(MAX_PAGE_SIZE, Math.max(1, fitting));
}
