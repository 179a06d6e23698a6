import type { Clock } from '@pintle/async';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';

/**
 * A program's wish to stop: aborts when the process is asked to end. Asked a second time, the process ends at once,
 * whatever is going on.
 */
export class StopSignals implements Disposable {
  readonly #stop = new AbortController();
  /** Waiting for a lease, or for a server to come back, must not look like having nothing to do. */
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
    this.#stop.abort(new Error(`Cannot go on: ${name} asked to stop`));
  };
}

const LONG_MS = 2 ** 30;
const NAMES = ['SIGINT', 'SIGTERM'] as const;

/** From the most there is to say to the least. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** One line of JSON for each message of the level and those above it, on standard error. */
export function jsonLog(
  clock: Clock,
  write: (line: string) => void = writeToStderr,
  { level: least = 'info' }: { readonly level?: LogLevel } = {},
): Log {
  const say = (level: string, message: string, fields: object = {}): void =>
    write(`${JSON.stringify({ level, time: new Date(clock.now()).toISOString(), message, ...fields }, plain)}\n`);
  const at = (level: LogLevel): Log['info'] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least) ? () => undefined : (message, fields) => say(level, message, fields);
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

/** Errors and large integers have no JSON of their own. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { error, stack } = errorFields(value);
  return stack ?? error;
}
