/** An abort of its own that also follows others, until `unlink`. (`AbortSignal.any` holds on to its sources.) */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #follow = (): void => {
    const source = this.#sources.find(({ aborted }) => aborted);
    this.abort(source?.reason);
  };

  constructor(...sources: AbortSignal[]) {
    this.#sources = sources;
    for (const source of sources) source.addEventListener('abort', this.#follow, { once: true });
    if (sources.some(({ aborted }) => aborted)) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.unlink();
    this.#controller.abort(reason);
  }

  unlink(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  }
}
