import { ClientError } from '@pintle/client';
import { errorText, StatusError } from '@pintle/machinery/errors';
import { OperatorError } from '../errors.ts';
import { ResourceError } from '../resource/errors.ts';
import { TerminalError } from './result.ts';

export interface ErrorFields {
  /** The message, and those of all causes. */
  readonly error: string;
  /** Where a mistake was made. */
  readonly stack?: string;
}

/**
 * Returns the fields of a log line about an error. How the world is (the server refuses, nobody answers) is told by its message; anything
 * else may be a mistake in the program, and people need to know where.
 */
export function errorFields(error: unknown): ErrorFields {
  const text = errorText(error);
  const places = isExpected(error) ? [] : placesOf(error);
  return {
    error: text,
    ...(places.length > 0 && { stack: [`${(error as Error).name}: ${text}`, ...places].join('\n') }),
  };
}

const EXPECTED = [StatusError, ClientError, OperatorError, ResourceError, TerminalError];

function isExpected(error: unknown): boolean {
  return EXPECTED.some((kind) => error instanceof kind);
}

/** The lines of a stack that name places; its first lines say what the message says. */
function placesOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  return error.stack.split('\n').filter((line) => /^\s+at /.test(line));
}
