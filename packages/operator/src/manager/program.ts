import type { Clock } from '@pintle/async';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';

/**
 * Aborts its signal at the first SIGINT or SIGTERM, and exits the process at the second.
 */
export class StopSignals implements Disposable {
  readonly #stop = new AbortController();
  /** Keeps the process running while it waits for a lease or a server without timers or sockets. */
  readonly #busy = setInterval(() => undefined, LONG_MS);

  constructor() {
    for (const name of NAMES) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#busy);
    for (const name of NAMES) process.off(name, this.#onSignal);
  }

  readonly #onSignal = (name: NodeJS.Signals): void => {
    if (this.#stop.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    this.#stop.abort(new Error(`Cannot continue: received ${name}`));
  };
}

const LONG_MS = 2 ** 30;
const NAMES = ['SIGINT', 'SIGTERM'] as const;

/** In ascending order. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Writes one line of JSON for each message of the level and above, by default to standard error. */
export function jsonLog(
  clock: Clock,
  write: (line: string) => void = writeToStderr,
  { level: least = 'info' }: { readonly level?: LogLevel } = {},
): Log {
  const writeLine = (level: string, message: string, fields: object = {}): void =>
    write(`${JSON.stringify({ level, time: new Date(clock.now()).toISOString(), message, ...fields }, plain)}\n`);
  const at = (level: LogLevel): Log['info'] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least)
      ? () => undefined
      : (message, fields) => writeLine(level, message, fields);
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    ...(least === 'debug' && { debug: at('debug') }),
  };
}

function writeToStderr(line: string): void {
  process.stderr.write(line);
}

/** Converts errors and bigints, which JSON cannot represent. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { error, stack } = errorFields(value);
  return stack ?? error;
}
