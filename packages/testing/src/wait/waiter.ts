import { realClock } from '@pintle/async';
import type { Manager } from '@pintle/operator';
import type { PlaneClock } from '../clock/plane-clock.ts';
import type { Duration } from '../duration.ts';
import { toMs } from '../duration.ts';
import type { Wire } from '../wire/wire.ts';
import { busyWork, nextDueMs } from './idle.ts';

export interface EventuallyOptions {
  /**
   * How much of the plane's time may pass. Default: 5 minutes where a test moves the clock, but at least 5 seconds of
   * everybody's, else 10 seconds.
   */
  readonly within?: Duration;
}

export interface IdleOptions {
  /** What is due within so long counts as left to do, and time passes until it is done. Default: 1 second. */
  readonly horizon?: Duration;
  /** Who has not come to rest after so much of the plane's time never will. Default: 5 minutes, or 10 seconds. */
  readonly within?: Duration;
}

export interface WaiterGround {
  readonly wire: Wire;
  readonly clock: PlaneClock;
  /** The server is, and takes its own time. */
  readonly isElsewhere: boolean;
  /** Those that run now. */
  managers(): readonly Manager[];
  /** What was complained of, the last last. */
  readonly complaints: readonly string[];
  /** Throws when something that should run has failed. */
  check(): void;
}

/** Time passes in such steps while a test waits for something. */
const STEP_MS = 1_000;
const POLL_MS = 5;
/** A server elsewhere is given so long, whatever the plane's clock says: its garbage collector learns of new kinds every 30 s. */
const ELSEWHERE_MS = 90_000;
/** What a server loads when it is first needed takes none of the plane's time. So long is waited for it, unless a test says how long. */
const LOADING_MS = 5_000;

/** Waits for things that happen by themselves. */
export class Waiter {
  readonly #ground: WaiterGround;

  constructor(ground: WaiterGround) {
    this.#ground = ground;
  }

  /**
   * Looks again and again, letting everything run and time pass, until `look` gives something that is not false,
   * undefined or null, and gives that. What `look` throws means that it is not so yet. Fails with the last of it.
   */
  async eventually<T>(
    look: () => T | Promise<T>,
    { within }: EventuallyOptions = {},
  ): Promise<NonNullable<Exclude<T, false>>> {
    const { clock } = this.#ground;
    const limitMs = this.#limit(within);
    const startMs = clock.monotonic();
    const isOver = this.#limiter(limitMs, within === undefined);
    let why: unknown;
    for (;;) {
      if (clock.isStepped) await this.#ground.wire.settle();
      this.#ground.check();
      why = undefined;
      try {
        const found = await look();
        if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>;
      } catch (error) {
        why = error;
      }
      if (isOver(clock.monotonic() - startMs)) throw this.#giveUp(why, limitMs);
      await this.#pass();
    }
  }

  /** Resolves once no informer, queue or controller has anything left to do. */
  async untilIdle({ horizon = 1_000, within }: IdleOptions = {}): Promise<void> {
    const { clock, wire } = this.#ground;
    const limitMs = this.#limit(within);
    const startMs = clock.monotonic();
    const isOver = this.#limiter(limitMs, within === undefined);
    for (;;) {
      await wire.settle();
      this.#ground.check();
      const busy = busyWork(this.#ground.managers());
      const dueMs = nextDueMs(this.#ground.managers());
      if (busy.length === 0 && dueMs > toMs(horizon)) return;
      if (isOver(clock.monotonic() - startMs)) {
        const words = busy.length === 0 ? 'something is due all the time' : busy.join(', ');
        throw this.#giveUp(new Error(`not idle: ${words}`), limitMs);
      }
      if (clock.isStepped) await clock.advance(busy.length > 0 ? STEP_MS : Math.max(dueMs, 1));
      else await realClock.sleep(POLL_MS);
    }
  }

  /** Tells whether so much of the plane's time is too much. */
  #limiter(limitMs: number, isDefault: boolean): (passedMs: number) => boolean {
    const patienceMs = this.#ground.isElsewhere ? ELSEWHERE_MS : isDefault ? LOADING_MS : 0;
    const patientUntilMs = realClock.monotonic() + patienceMs;
    return (passedMs) => passedMs >= limitMs && realClock.monotonic() >= patientUntilMs;
  }

  #limit(within: Duration | undefined): number {
    if (within !== undefined) return toMs(within);
    return this.#ground.clock.isStepped ? 300_000 : 10_000;
  }

  async #pass(): Promise<void> {
    if (this.#ground.clock.isStepped) await this.#ground.clock.advance(STEP_MS);
    else await realClock.sleep(POLL_MS);
  }

  #giveUp(why: unknown, limitMs: number): Error {
    const { wire, complaints } = this.#ground;
    const reason = why === undefined ? '' : `: ${why instanceof Error ? why.message : String(why)}`;
    const parts = [`It did not happen within ${limitMs / 1_000} s${reason}`];
    if (complaints.length > 0) parts.push(`Complaints:\n  ${complaints.slice(-5).join('\n  ')}`);
    if (wire.log.length > 0) parts.push(`Last requests:\n${wire.log.tail(5)}`);
    return new Error(parts.join('\n'), { cause: why });
  }
}
