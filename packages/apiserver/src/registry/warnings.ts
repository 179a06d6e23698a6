const MAX_TOTAL = 4096;
const MAX_EACH_WHEN_FULL = 256;

/** Hints for the client, sent as Warning headers: each once, in the order given, and not without bound. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }

  /** `299 - "text"` for each; when all of them together are too long, each is cut short and the rest left out. */
  toHeaders(): string[] {
    const texts = [...this.#texts].map(withoutControls);
    const total = texts.reduce((sum, text) => sum + text.length, 0);
    if (total <= MAX_TOTAL) return texts.map(toHeader);
    const headers: string[] = [];
    let used = 0;
    for (const text of texts) {
      const cut = text.slice(0, MAX_EACH_WHEN_FULL);
      used += cut.length;
      if (used > MAX_TOTAL) break;
      headers.push(toHeader(cut));
    }
    return headers;
  }
}

function toHeader(text: string): string {
  return `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Header values are Latin-1 without control characters. */
function withoutControls(text: string): string {
  return Array.from(text, (char) => (char < ' ' || char > '\u00ff' || char === '\u007f' ? ' ' : char)).join('');
}
