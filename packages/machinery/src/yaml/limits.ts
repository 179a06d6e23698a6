/**
 * How much YAML a reader accepts. YAML costs some hundred times more to read than JSON of the same size, so its limits
 * are counted in what takes the time.
 */
export interface YamlLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Levels of collections inside each other; also after aliases have been replaced. */
  readonly maxDepth: number;
  /** Scalars, indicators, spaces between them, line ends; inside quotes every escape and every 32 characters. A line `key: value` has seven. */
  readonly maxTokens: number;
  /** References to anchors. What they expand to is bounded as well, whatever the limits. */
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

/** For a person's own files: any length. */
export const yamlFileLimits: YamlLimits = {
  maxBytes: Infinity,
  maxLines: Infinity,
  maxDepth: 250,
  maxTokens: Infinity,
  maxAliases: 10_000,
};
