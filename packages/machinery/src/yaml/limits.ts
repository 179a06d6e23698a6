/**
 * Limits of a YAML reader. YAML costs some hundred times more to read than JSON of the same size, so the limits count
 * what takes the time.
 */
export interface YamlLimits {
  /** Bytes of a document. */
  readonly maxBytes: number;
  /** Lines of a document. */
  readonly maxLines: number;
  /** Levels of nested collections, also after aliases are expanded. */
  readonly maxDepth: number;
  /**
   * Number of scalars, indicators, spaces between them and line ends; inside quotes also of escapes and of every 32
   * characters. A line `key: value` has seven.
   */
  readonly maxTokens: number;
  /** References to anchors. Their expansion is bounded as well, whatever the limits. */
  readonly maxAliases: number;
}

/** For bytes from a client. The most expensive document within them takes less than 250 ms to read. */
export const yamlRequestLimits: YamlLimits = {
  maxBytes: 3 * 1024 * 1024,
  maxLines: 200_000,
  maxDepth: 250,
  maxTokens: 24_000,
  maxAliases: 100,
};

/** For the user's own files: any length. */
export const yamlFileLimits: YamlLimits = {
  maxBytes: Infinity,
  maxLines: Infinity,
  maxDepth: 250,
  maxTokens: Infinity,
  maxAliases: 10_000,
};
