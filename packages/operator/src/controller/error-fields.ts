import type { Clock } from '@pintle/async';
import { ClientError } from '@pintle/client';
import { errorText, StatusError } from '@pintle/machinery/errors';
import { OperatorError } from '../errors.ts';
import { ResourceError } from '../resource/errors.ts';
import { TerminalError } from './request.ts';

interface ErrorFields {
  /** The message, and those of all causes. */
  readonly error: string;
  /** Stack of an unexpected error. */
  readonly stack?: string;
}

/**
 * Returns the log fields of an error. Expected errors (a refusal of the server, no response) have their message; other errors
 * may be mistakes in the program, and have their stack too.
 */
export function errorFields(error: unknown): ErrorFields {
  const text = errorText(error);
  const locations = isExpected(error) ? [] : locationsOf(error);
  return {
    error: text,
    ...(locations.length > 0 && { stack: [`${(error as Error).name}: ${text}`, ...locations].join('\n') }),
  };
}

const EXPECTED = [StatusError, ClientError, OperatorError, ResourceError, TerminalError];

function isExpected(error: unknown): boolean {
  return EXPECTED.some((kind) => error instanceof kind);
}

/** Returns the lines of a stack with locations; its first lines repeat the message. */
function locationsOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  return error.stack.split('\n').filter((line) => /^\s+at /.test(line));
}

/** Time before a stack is logged again. */
const AGAIN_MS = 60_000;
/** Stacks that are remembered; the oldest is dropped, and logged again when it recurs. */
const MAX_REMEMBERED = 100;

/** Remembers logged stacks: an error that recurs, with the same message from the same line, is logged without its stack. */
export class LoggedStacks {
  readonly #clock: Clock;
  readonly #loggedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the fields without the stack when it was logged within the last minute. */
  shorten({ error, stack }: ErrorFields): ErrorFields {
    if (stack === undefined) return { error };
    const nowMs = this.#clock.monotonic();
    const key = `${error}\n${topOf(stack)}`;
    const loggedMs = this.#loggedMs.get(key);
    if (loggedMs !== undefined && nowMs - loggedMs < AGAIN_MS) return { error };
    this.#loggedMs.delete(key);
    this.#loggedMs.set(key, nowMs);
    if (this.#loggedMs.size > MAX_REMEMBERED) this.#loggedMs.delete(this.#loggedMs.keys().next().value!);
    return { error, stack };
  }
}

function topOf(stack: string): string {
  return stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
}
