import type { Clock } from '@pintle/async';
import type { ErrorFields } from './error-fields.ts';

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
