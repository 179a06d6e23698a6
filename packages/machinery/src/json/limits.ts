/** Limits of a reader. It refuses a document beyond a limit before it allocates anything for it. */
export interface JsonLimits {
  /** Bytes of a document. */
  readonly maxBytes: number;
  /** Levels of nested objects and arrays. All code that walks values relies on this bound. */
  readonly maxDepth: number;
  /**
   * Number of braces, brackets, commas and colons; colons count twice because a key costs twice as much as an item.
   * Bounds the time and memory of the value made.
   */
  readonly maxTokens: number;
}

/**
 * For bytes from a client: Kubernetes' size limit for bodies, with bounds so that no body can stall the process or
 * exhaust its memory.
 */
export const requestLimits: JsonLimits = { maxBytes: 3 * 1024 * 1024, maxDepth: 1_000, maxTokens: 250_000 };

/**
 * For bytes from a trusted server or our own store: any length. The depth leaves room for a patch that put one value of
 * the greatest depth inside another.
 */
export const trustedLimits: JsonLimits = { maxBytes: Infinity, maxDepth: 2_000, maxTokens: Infinity };
