/** How values lie in the engine where that is not as they were written: encrypted, say. What is read is what was written. */
export interface ValueSeal {
  /** What to keep for a value; the value itself where there is nothing to hide. Neither is changed. */
  seal(key: string, value: Uint8Array): Uint8Array;
  /** The value that was sealed. Throws, saying why, when it cannot be told. */
  open(key: string, sealed: Uint8Array): Uint8Array;
}
