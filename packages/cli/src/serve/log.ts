import type { Logger, pino as Pino } from 'pino';
import { terminalText } from '../terminal-text.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Structured lines on standard error. */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Resolves once all lines are written. */
  flush(): Promise<void>;
}

interface LogOptions {
  /** Default: to standard error. */
  readonly write?: (line: string) => void;
  /** Writes text for people instead of JSON. Default: when standard error is a terminal. */
  readonly isText?: boolean;
}

/**
 * Creates a log that loads its library with the first entry, which most runs never write. Each entry is one line of JSON, or
 * text on a terminal, without control characters, whatever a client sent.
 */
export function createLog({ write: put, isText = process.stderr.isTTY === true }: LogOptions = {}): Log {
  let logger: Promise<Logger> | undefined;
  let written: Promise<void> = Promise.resolve();
  const write = (level: 'info' | 'warn' | 'error', message: string, fields: Fields): void => {
    logger ??= openLogger(put, isText);
    written = Promise.all([logger, written]).then(([open]) => open[level](fields, message));
  };
  return {
    info: (message, fields = {}) => write('info', message, fields),
    warn: (message, fields = {}) => write('warn', message, fields),
    error: (message, fields = {}) => write('error', message, fields),
    flush: () => written,
  };
}

async function openLogger(write: ((line: string) => void) | undefined, isText: boolean): Promise<Logger> {
  const { pino, stdTimeFunctions } = await import('pino');
  const options = {
    base: null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    redact: ['token', 'authorization', 'headers.authorization', 'privateKey'],
  };
  const put = write ?? standardError(pino);
  if (!isText) return pino(options, { write: (line) => put(terminalText(line)) });
  const { readable } = await import('../show-line.ts');
  const hasColours = !process.env.NO_COLOR;
  return pino(options, { write: (line) => put(`${readable(line.trimEnd(), hasColours)}\n`) });
}

function standardError(pino: typeof Pino): (line: string) => void {
  const destination = pino.destination({ fd: 2, sync: true });
  return (line) => void destination.write(line);
}
