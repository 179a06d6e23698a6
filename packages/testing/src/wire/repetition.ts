import type { RequestEntry } from '../requests/request-log.ts';

/** So many writes, and so many of each on average, before a millisecond has passed: they never end. */
const ENDLESS_WRITES = 1_000;
const ENDLESS_REPEATS = 50;

type Write = Pick<RequestEntry, 'actor' | 'method' | 'path' | 'sequence' | 'verb'>;

/** Knows when the same things are written again and again while the clock stands still: by an operator that wakes itself. */
export class Repetition {
  /** How often each was written at this moment. */
  readonly #counts = new Map<string, number>();
  #writes = 0;
  #atMs = 0;

  /** Every creation makes another object. */
  note({ actor, method, path, sequence, verb }: Write, nowMs: number): void {
    if (nowMs !== this.#atMs) this.#reset(nowMs);
    const what = verb === 'create' ? `${sequence}` : `${actor} ${method} ${path}`;
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    this.#writes++;
  }

  /** Describes a write that repeats without end; told once, and again when it goes on. */
  takeEndless(): string | undefined {
    if (this.#writes < ENDLESS_WRITES || this.#writes < ENDLESS_REPEATS * this.#counts.size) return undefined;
    const [what, count] = [...this.#counts].reduce((most, each) => (each[1] > most[1] ? each : most));
    this.#reset(this.#atMs);
    return `no time passes, and “${what}” has taken effect ${count} times`;
  }

  #reset(nowMs: number): void {
    this.#atMs = nowMs;
    this.#writes = 0;
    this.#counts.clear();
  }
}
