import { type Clock, realClock } from '@pintle/async';
import { parseEntry, showLine } from '../show-line.ts';

/** A warning or an error that repeats is shown at most once in this time. */
const REPEAT_MS = 10_000;
/** Maximum of remembered lines; the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;

interface LogPrinterOptions {
  /** Prints one line. Default: to standard output. */
  readonly print?: (line: string) => void;
  /** Default: that of the machine. */
  readonly clock?: Clock;
}

/**
 * Prints the log of an operator. An object whose reconcile fails is retried within milliseconds, then less often: the first
 * failure is shown, and those that follow are counted in the next line of it.
 */
export class LogPrinter {
  readonly #options: Required<LogPrinterOptions>;
  readonly #shown = new Map<string, { readonly atMs: number; hidden: number }>();

  constructor({ print = showLine, clock = realClock }: LogPrinterOptions = {}) {
    this.#options = { print, clock };
  }

  print(line: string): void {
    const key = keyOf(line);
    if (key === undefined) {
      this.#options.print(line);
      return;
    }
    const nowMs = this.#options.clock.monotonic();
    const last = this.#shown.get(key);
    if (last !== undefined && nowMs - last.atMs < REPEAT_MS) {
      last.hidden++;
      return;
    }
    this.#remember(key, nowMs);
    this.#options.print(last?.hidden ? withCount(line, last.hidden) : line);
  }

  #remember(key: string, atMs: number): void {
    this.#shown.delete(key);
    this.#shown.set(key, { atMs, hidden: 0 });
    if (this.#shown.size > MAX_REMEMBERED) this.#shown.delete(this.#shown.keys().next().value!);
  }
}

/** Fields that differ each time. */
const VARYING: ReadonlySet<string> = new Set(['time', 'reconcileId', 'retryAfterMs', 'stack']);

/** Returns what two lines about one failure have in common; `undefined` for lines that are always shown. */
function keyOf(line: string): string | undefined {
  const entry = parseEntry(line);
  if (entry === undefined || (entry.level !== 'warn' && entry.level !== 'error')) return undefined;
  return JSON.stringify(Object.entries(entry).filter(([name]) => !VARYING.has(name)));
}

function withCount(line: string, hidden: number): string {
  const { message, ...entry } = parseEntry(line)!;
  return JSON.stringify({ ...entry, message: `${String(message)} (${hidden} more since the last line)` });
}
