const FIRST = 500;
const LEAST = 250;
const MOST = 4000;
/** A page of this length is read in a few milliseconds, and worth its round trip. */
const CHARACTERS = 600_000;
const MAX_KNOWN = 500;

/** Chooses how many items to ask for at once: a few hundred at first, then as many as make a page of a good length. */
export class PageSize {
  readonly #lengths = new Map<string, number>();

  limitOf(path: string): number {
    const length = this.#lengths.get(path);
    if (length === undefined) return FIRST;
    return Math.max(LEAST, Math.min(MOST, Math.floor(CHARACTERS / length)));
  }

  /** Takes note of how long a page was. */
  note(path: string, items: number, characters: number): void {
    if (items === 0) return;
    if (this.#lengths.size >= MAX_KNOWN) this.#lengths.clear();
    this.#lengths.set(path, characters / items);
  }
}
