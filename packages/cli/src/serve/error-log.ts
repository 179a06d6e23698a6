import type { Clock } from '@pintle/async';
import type { Fields, Log } from './log.ts';

const INTERVAL_MS = 60_000;
/** Errors beyond so many kinds count as one kind. */
const MAX_KINDS = 100;

/**
 * Writes unexpected errors once per kind and minute: the first of a kind at once and whole, and at the end of the minute
 * how many more there were. Clients that find a way to cause an error cannot fill the disk with it.
 */
export class ErrorLog {
  readonly #log: Pick<Log, 'error'>;
  readonly #clock: Clock;
  /** How often each kind was seen again since it was written. */
  readonly #repeats = new Map<string, number>();

  constructor(log: Pick<Log, 'error'>, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  write(message: string, error: unknown, fields: Fields): void {
    const kind = this.#repeats.size < MAX_KINDS || this.#repeats.has(kindOf(error)) ? kindOf(error) : 'others';
    const repeats = this.#repeats.get(kind);
    if (repeats !== undefined) {
      this.#repeats.set(kind, repeats + 1);
      return;
    }
    this.#repeats.set(kind, 0);
    this.#log.error(message, { ...fields, error: textOf(error) });
    this.#clock.setTimer(INTERVAL_MS, () => {
      const count = this.#repeats.get(kind) ?? 0;
      this.#repeats.delete(kind);
      if (count > 0) this.#log.error(`${message} again`, { count, kind });
    });
  }
}

/** Where it was thrown, and as what: messages hold what clients sent. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = error.stack?.split('\n').find((line) => /^\s+at /.test(line));
  return `${error.name}${place === undefined ? '' : ` ${place.trim()}`}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
