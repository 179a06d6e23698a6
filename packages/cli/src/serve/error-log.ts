import type { Clock } from '@pintle/async';
import type { Fields, Log } from './log.ts';

const INTERVAL_MS = 60_000;
/** Maximum of kinds; further ones count as one kind. */
const MAX_KINDS = 100;

/**
 * Logs unexpected errors once per kind and minute: the first of a kind at once with its stack, and at the end of the minute
 * the number of further ones. Clients that can cause an error cannot fill the disk with it.
 */
export class ErrorLog {
  readonly #log: Pick<Log, 'error'>;
  readonly #clock: Clock;
  /** Number of errors of each kind since it was logged. */
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

/** Returns the name and the first frame of an error. Messages do not count, since they hold input of clients. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frame = error.stack?.split('\n').find((line) => /^\s+at /.test(line));
  return `${error.name}${frame === undefined ? '' : ` ${frame.trim()}`}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
