/** Records unhandled rejections instead of the test runner, until it is disposed. */
export class Rejections implements Disposable {
  readonly messages: string[] = [];
  readonly #others = process.listeners('unhandledRejection');

  constructor() {
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', this.#note);
  }

  [Symbol.dispose](): void {
    process.removeListener('unhandledRejection', this.#note);
    for (const listener of this.#others) process.on('unhandledRejection', listener);
  }

  readonly #note = (reason: unknown): void => {
    this.messages.push(reason instanceof Error ? reason.message : String(reason));
  };
}
