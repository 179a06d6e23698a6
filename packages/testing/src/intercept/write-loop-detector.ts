import type { RequestEntry } from '../requests/request-log.ts';

/** Writes at one moment of the clock that count as a loop, if each is repeated `ENDLESS_REPEATS` times on average. */
const ENDLESS_WRITES = 1_000;
const ENDLESS_REPEATS = 50;

type Write = Pick<RequestEntry, 'actor' | 'method' | 'path' | 'sequence' | 'verb'>;

/** Detects writes that repeat while the clock stands still, as of an operator that triggers itself. */
export class WriteLoopDetector {
  /** Number of writes at this moment, by actor and path. */
  readonly #counts = new Map<string, number>();
  #writes = 0;
  #atMs = 0;

  /** Counts a write. Creations never repeat, because each makes another object. */
  note({ actor, method, path, sequence, verb }: Write, nowMs: number): void {
    if (nowMs !== this.#atMs) this.#reset(nowMs);
    const write = verb === 'create' ? `${sequence}` : `${actor} ${method} ${path}`;
    this.#counts.set(write, (this.#counts.get(write) ?? 0) + 1);
    this.#writes++;
  }

  /** Describes the write that repeats most, and starts counting again. `undefined` when there is no loop. */
  takeLoop(): string | undefined {
    if (this.#writes < ENDLESS_WRITES || this.#writes < ENDLESS_REPEATS * this.#counts.size) return undefined;
    const [write, count] = [...this.#counts].reduce((most, each) => (each[1] > most[1] ? each : most));
    this.#reset(this.#atMs);
    return `no time passes, and “${write}” has taken effect ${count} times`;
  }

  #reset(nowMs: number): void {
    this.#atMs = nowMs;
    this.#writes = 0;
    this.#counts.clear();
  }
}
