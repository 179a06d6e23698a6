import type { Clock } from '@pintle/async';
import type { Log } from '../controller/controller.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Lines that are kept; later lines are only counted. */
const MAX_LINES = 100;

/** Keeps lines until it is known where logs go; `flush` writes them with their original time. */
export class BufferedLog implements Log {
  readonly #clock: Clock;
  readonly #lines: { readonly level: Level; readonly message: string; readonly fields: object }[] = [];
  #dropped = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  debug(message: string, fields?: object): void {
    this.#keep('debug', message, fields);
  }

  info(message: string, fields?: object): void {
    this.#keep('info', message, fields);
  }

  warn(message: string, fields?: object): void {
    this.#keep('warn', message, fields);
  }

  error(message: string, fields?: object): void {
    this.#keep('error', message, fields);
  }

  flush(log: Log): void {
    for (const { level, message, fields } of this.#lines.splice(0)) log[level]?.(message, fields);
    if (this.#dropped > 0) log.warn('Dropped log lines from before the manager ran', { lines: this.#dropped });
    this.#dropped = 0;
  }

  #keep(level: Level, message: string, fields: object = {}): void {
    const time = new Date(this.#clock.now()).toISOString();
    if (this.#lines.length < MAX_LINES) this.#lines.push({ level, message, fields: { time, ...fields } });
    else this.#dropped++;
  }
}
