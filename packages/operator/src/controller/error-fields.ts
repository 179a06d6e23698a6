import type { Clock } from '@pintle/async';
import { ClientError } from '@pintle/client';
import { errorText, StatusError } from '@pintle/machinery/errors';
import { OperatorError } from '../errors.ts';
import { ResourceError } from '../resource/errors.ts';
import { TerminalError } from './request.ts';

interface ErrorFields {
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

/** A stack that was told is told again after so long. */
const AGAIN_MS = 60_000;
/** How many stacks are remembered; of more, those told longest ago are forgotten, and told once more. */
const MOST = 100;

/** Knows which stacks a log has: an error that comes again, with the same message from the same place, needs a line only. */
export class ToldStacks {
  readonly #clock: Clock;
  readonly #toldMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the fields without their stack when that was told within the last minute. */
  shorten({ error, stack }: ErrorFields): ErrorFields {
    if (stack === undefined) return { error };
    const nowMs = this.#clock.monotonic();
    const key = `${error}\n${topOf(stack)}`;
    const toldMs = this.#toldMs.get(key);
    if (toldMs !== undefined && nowMs - toldMs < AGAIN_MS) return { error };
    this.#toldMs.delete(key);
    this.#toldMs.set(key, nowMs);
    if (this.#toldMs.size > MOST) this.#toldMs.delete(this.#toldMs.keys().next().value!);
    return { error, stack };
  }
}

function topOf(stack: string): string {
  return stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
}
