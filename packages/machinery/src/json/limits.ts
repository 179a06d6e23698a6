/** How much of a document a reader accepts. What exceeds a limit is refused before anything is allocated for it. */
export interface JsonLimits {
  readonly maxBytes: number;
  /** Levels of objects and arrays inside each other. Everything that walks values relies on this bound. */
  readonly maxDepth: number;
  /**
   * Braces, brackets, commas and colons, which count twice because a key costs twice as much as an item. Bounds the time
   * and memory of the value made.
   */
  readonly maxTokens: number;
}

/** For bytes from a client: a body of Kubernetes' size limit that can neither stall the process nor exhaust it. */
export const requestLimits: JsonLimits = { maxBytes: 3 * 1024 * 1024, maxDepth: 1_000, maxTokens: 250_000 };

/**
 * For bytes from a server we chose or from our own store: any length. The depth leaves room for a patch that put one
 * value of the deepest kind inside another.
 */
export const trustedLimits: JsonLimits = { maxBytes: Infinity, maxDepth: 2_000, maxTokens: Infinity };
