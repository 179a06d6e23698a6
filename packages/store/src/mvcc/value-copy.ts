/**
 * A copy of a value that is about to be written. Small ones lie together in slabs of their own: a value may be held for
 * long, and would keep alive whatever else was allocated beside it, such as the request that brought it.
 */
export function copyOfValue(value: Uint8Array): Uint8Array {
  const copy = value.length > LARGE_BYTES ? Buffer.allocUnsafeSlow(value.length) : placeFor(value.length);
  copy.set(value);
  return copy;
}

const SLAB_BYTES = 16 * 1024;
const LARGE_BYTES = SLAB_BYTES / 2;

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let used = 0;

function placeFor(bytes: number): Buffer {
  if (used + bytes > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  const place = slab.subarray(used, used + bytes);
  used += bytes;
  return place;
}
