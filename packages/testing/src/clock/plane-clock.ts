import type { Clock, SteppedClockOptions, Timer } from '@pintle/async';
import { onAbort, onceAborted, realClock, SteppedClock } from '@pintle/async';
import type { Duration } from '../duration.ts';
import { toMs } from '../duration.ts';
import type { Standstill } from './standstill.ts';

/** What a plane and all that runs on it tell time by. */
export interface PlaneClock extends Clock {
  /** It stands still unless a test moves it. */
  readonly isStepped: boolean;
  /**
   * Lets so much time pass, and everything happen that is due on the way: leases, backoff, requeues, cron. On the
   * machine's clock that takes as long as it says.
   */
  advance(by: Duration): Promise<void>;
  /** Moves to the next moment at which something is due. False when nothing is, and on the machine's clock. */
  advanceToNext(): Promise<boolean>;
}

export interface SteppedOptions {
  /** Default: the first second of 2026, UTC. */
  readonly start?: Date | number | string;
  /**
   * Only what reconciles, and who leads, sets timers, so that months cost what happens in them: nodes send no heartbeats
   * and nobody misses them, nothing expires at the server, and no watch runs out meanwhile. Default: false.
   */
  readonly isQuiet?: boolean;
  /**
   * Requests pass side by side. Faster where a test sends hundreds at once; their order may then depend on how long it
   * takes to load code, so that two runs need not be the same. Default: false, one at a time.
   */
  readonly isConcurrent?: boolean;
}

/** Says that a plane is to have a clock that only a test moves. */
export interface Stepped {
  readonly startMs: number;
  readonly isQuiet: boolean;
  readonly isConcurrent: boolean;
}

/** A clock that stands still until `plane.clock.advance('10m')` moves it: nothing sleeps. */
export function stepped(options: SteppedOptions = {}): Stepped {
  const { start = Date.UTC(2026, 0, 1), isQuiet = false, isConcurrent = false } = options;
  const startMs = typeof start === 'number' ? start : new Date(start).getTime();
  if (Number.isNaN(startMs)) throw new RangeError(`Cannot start a clock at ${String(start)}: that is no time`);
  return { startMs, isQuiet, isConcurrent };
}

interface SteppedPlaneClockOptions extends SteppedClockOptions {
  /** Told once of each `advance` that takes long by the machine's clock, while it is under way. */
  readonly onSlow?: (progress: SlowAdvance) => void;
  /** Default: 3 seconds, so that it is told before vitest and jest end a test. */
  readonly slowAfterMs?: number;
}

export interface SlowAdvance {
  /** So much of the plane's time was to pass. */
  readonly byMs: number;
  /** So much of it has passed. */
  readonly passedMs: number;
  /** So long it has taken, by the machine's clock. */
  readonly tookMs: number;
}

const SLOW_AFTER_MS = 3_000;

export class SteppedPlaneClock extends SteppedClock implements PlaneClock {
  readonly isStepped = true;
  readonly #options: SteppedPlaneClockOptions;

  constructor(options: SteppedPlaneClockOptions = {}) {
    super(options);
    this.#options = options;
  }

  override async advance(by: Duration): Promise<void> {
    const byMs = toMs(by);
    const { onSlow, slowAfterMs: tookMs = SLOW_AFTER_MS } = this.#options;
    const startMs = this.monotonic();
    using _slow = realClock.setTimer(tookMs, () => onSlow?.({ byMs, passedMs: this.monotonic() - startMs, tookMs }));
    await super.advance(byMs);
  }
}

export const realPlaneClock: PlaneClock = {
  isStepped: false,
  now: () => realClock.now(),
  monotonic: () => realClock.monotonic(),
  sleep: (ms, options) => realClock.sleep(ms, options),
  setTimer: (ms, callback) => realClock.setTimer(ms, callback),
  advance: (by) => realClock.sleep(toMs(by)),
  advanceToNext: async () => false,
};

/** Tells the time of the other clock; its own timers never fire. */
export function restingClock(clock: Clock): Clock {
  const sleeping = new SteppedClock();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, options) => sleeping.sleep(ms, options),
    setTimer: (ms, callback): Timer => sleeping.setTimer(ms, callback),
  };
}

/**
 * The clock of a process that may be killed. Once `life` has aborted its timers never fire and its sleeps never end, unless
 * their own signal aborts: what was asleep in a process that is gone does not wake. While it stands still they wait.
 */
export function mortalClock(clock: Clock, life: AbortSignal, standstill?: Standstill): Clock {
  const pending = new Set<Timer>();
  onAbort(life, () => {
    for (const timer of pending) timer.cancel();
    pending.clear();
  });
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: async (ms, options) => {
      await mortalSleep(clock, life, ms, options?.signal);
      if (standstill?.ended !== undefined) await standstill.ended;
    },
    setTimer: (ms, callback): Timer => {
      if (life.aborted) return NEVER;
      const timer = clock.setTimer(ms, () => {
        pending.delete(timer);
        if (standstill?.ended === undefined) callback();
        else standstill.ended.then(() => (life.aborted ? undefined : callback()));
      });
      pending.add(timer);
      const cancel = (): void => {
        pending.delete(timer);
        timer.cancel();
      };
      return { cancel, [Symbol.dispose]: cancel };
    },
  };
}

const NEVER: Timer = { cancel: () => undefined, [Symbol.dispose]: () => undefined };

async function mortalSleep(clock: Clock, life: AbortSignal, ms: number, signal: AbortSignal | undefined) {
  const end = new AbortController();
  using _death = onAbort(life, (reason) => end.abort(reason));
  using _stop = onAbort(signal, (reason) => end.abort(reason));
  try {
    await clock.sleep(ms, { signal: end.signal });
  } catch (error) {
    if (!life.aborted) throw error;
    throw await (signal === undefined ? new Promise<never>(() => undefined) : onceAborted(signal));
  }
}
