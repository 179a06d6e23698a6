/** Limits of a reader. */
export interface ProtobufLimits {
  /** Bytes of a document. */
  readonly maxBytes: number;
  /** Levels of nested objects and arrays in the resulting JSON. All code that walks values relies on this bound. */
  readonly maxDepth: number;
  /**
   * Number of messages, list items, and keys and values of maps. Two bytes can encode a whole empty object, so size
   * alone bounds nothing.
   */
  readonly maxItems: number;
}

/**
 * For bytes from a client: Kubernetes' size limit for bodies, with bounds so that no body can stall the process or
 * exhaust its memory.
 */
export const requestProtobufLimits: ProtobufLimits = {
  maxBytes: 3 * 1024 * 1024,
  maxDepth: 1_000,
  maxItems: 250_000,
};
