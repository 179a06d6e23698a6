import type { Log } from './controller.ts';

/** Adds fields to each line of a log. Creates the fields with the first line, because most scopes log nothing. */
export class ScopedLog implements Log {
  readonly #log: Log;
  readonly #describe: () => object;
  #fields: object | undefined;

  constructor(log: Log, describe: () => object) {
    this.#log = log;
    this.#describe = describe;
  }

  info(message: string, fields?: object): void {
    this.#log.info(message, this.#with(fields));
  }

  warn(message: string, fields?: object): void {
    this.#log.warn(message, this.#with(fields));
  }

  error(message: string, fields?: object): void {
    this.#log.error(message, this.#with(fields));
  }

  /** `undefined` when the level is not enabled. */
  get debug(): Log['debug'] {
    const log = this.#log;
    return log.debug && ((message, fields) => log.debug?.(message, this.#with(fields)));
  }

  #with(fields: object = {}): object {
    this.#fields ??= this.#describe();
    return { ...this.#fields, ...fields };
  }
}
