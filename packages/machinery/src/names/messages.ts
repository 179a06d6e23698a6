/** Returns the length in UTF-8, which all limits of Kubernetes count. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** `must be no more than 63 characters` */
export function maxCharactersMessage(max: number): string {
  return `must be no more than ${max} characters`;
}

/** `must be no more than 63 bytes` */
export function maxBytesMessage(max: number): string {
  return `must be no more than ${max} bytes`;
}

/** `must be between 1 and 65535, inclusive` */
export function rangeMessage(min: number, max: number): string {
  return `must be between ${min} and ${max}, inclusive`;
}

/** `must be lower case (e.g. 'abc', regex used for validation is '[a-z]+')` */
export function patternMessage(rule: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (${examples.length === 0 ? '' : `e.g. ${shown}`}regex used for validation is '${pattern}')`;
}

/** Matches whole strings. `source` is shown in messages. */
export class Pattern {
  readonly source: string;
  readonly #expression: RegExp;

  constructor(source: string) {
    this.source = source;
    this.#expression = new RegExp(`^(?:${source})$`);
  }

  matches(text: string): boolean {
    return this.#expression.test(text);
  }
}
