const MAX_TOTAL = 4096;
const MAX_EACH_WHEN_FULL = 256;

/** Hints for the client, sent as Warning headers: each once, in the order given, and not without bound. */
export class Warnings {
  readonly #texts = new Set<string>();

  /** Texts that a header cannot carry are dropped, as Kubernetes drops them. */
  add(text: string): void {
    if (text !== '' && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  /** `299 - "text"` for each; when all together are too long, each is cut short, and what follows the one too many left out. */
  toHeaders(): string[] {
    const texts = [...this.#texts].map((text) => Array.from(text));
    const total = texts.reduce((sum, text) => sum + text.length, 0);
    if (total <= MAX_TOTAL) return texts.map(toHeader);
    const headers: string[] = [];
    let used = 0;
    for (const text of texts) {
      if (used >= MAX_TOTAL) break;
      const cut = text.slice(0, MAX_EACH_WHEN_FULL);
      used += cut.length;
      headers.push(toHeader(cut));
    }
    return headers;
  }
}

function toHeader(characters: readonly string[]): string {
  const text = characters.join('');
  return `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
