/** How much a reader accepts. */
export interface ProtobufLimits {
  readonly maxBytes: number;
  /** Levels of objects and arrays in the JSON that comes out. Everything that walks values relies on this bound. */
  readonly maxDepth: number;
  /** Messages, list items, and keys and values of maps. Two bytes can stand for a whole empty object, so size alone bounds nothing. */
  readonly maxItems: number;
}

/** For bytes from a client: a body of Kubernetes' size limit that can neither stall the process nor exhaust it. */
export const requestProtobufLimits: ProtobufLimits = {
  maxBytes: 3 * 1024 * 1024,
  maxDepth: 1_000,
  maxItems: 250_000,
};
