/** Kubernetes reports no more strict errors than this. */
const MAX_REPORTED = 100;

/** The fields that occur more than once in a document: each path once, in order of appearance, at most 100 of them. */
export class DuplicateFields {
  readonly #paths = new Set<string>();

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** Paths are long to make and a hostile document has many: the function is called only while they are wanted. */
  add(path: () => string): void {
    if (this.#paths.size < MAX_REPORTED) this.#paths.add(path());
  }
}
