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

/**
 * Creates a log that loads its library with the first entry, which most runs never write. Each entry is one line of JSON
 * without control characters for terminals, whatever a client sent.
 */
export function createLog(options: { readonly write?: (line: string) => void } = {}): Log {
  let logger: Promise<Logger> | undefined;
  let written: Promise<void> = Promise.resolve();
  const write = (level: 'info' | 'warn' | 'error', message: string, fields: Fields): void => {
    logger ??= openLogger(options.write);
    written = Promise.all([logger, written]).then(([open]) => open[level](fields, message));
  };
  return {
    info: (message, fields = {}) => write('info', message, fields),
    warn: (message, fields = {}) => write('warn', message, fields),
    error: (message, fields = {}) => write('error', message, fields),
    flush: () => written,
  };
}

async function openLogger(write: ((line: string) => void) | undefined): Promise<Logger> {
  const { pino, stdTimeFunctions } = await import('pino');
  const options = {
    base: null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    redact: ['token', 'authorization', 'headers.authorization', 'privateKey'],
  };
  const put = write ?? standardError(pino);
  return pino(options, { write: (line) => put(terminalText(line)) });
}

function standardError(pino: typeof Pino): (line: string) => void {
  const destination = pino.destination({ fd: 2, sync: true });
  return (line) => void destination.write(line);
}
