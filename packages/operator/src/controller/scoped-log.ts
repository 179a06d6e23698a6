import type { Log } from './controller.ts';

/** A log whose lines all say what they are about. The fields are made with the first line: most have nothing to say. */
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

  /** Absent where the log has none. */
  get debug(): Log['debug'] {
    const log = this.#log;
    return log.debug && ((message, fields) => log.debug?.(message, this.#with(fields)));
  }

  #with(fields: object = {}): object {
    this.#fields ??= this.#describe();
    return { ...this.#fields, ...fields };
  }
}
