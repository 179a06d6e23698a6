import type { Clock, SteppedClockOptions, Timer } from '@pintle/async';
import { onAbort, onceAborted, realClock, SteppedClock } from '@pintle/async';
import type { Duration } from '../duration.ts';
import { toMs } from '../duration.ts';
import type { Standstill } from './standstill.ts';

/** Clock of a plane and of everything that runs on it. */
export interface PlaneClock extends Clock {
  /** True when only the test moves the clock. */
  readonly isStepped: boolean;
  /**
   * Lets time pass, and runs everything that is due on the way: leases, backoff, requeues, cron. On the machine's clock it
   * sleeps for that time.
   */
  advance(by: Duration): Promise<void>;
  /** Moves to the next time at which something is due. Returns false when nothing is, and on the machine's clock. */
  advanceToNext(): Promise<boolean>;
}

export interface SteppedOptions {
  /** Default: the first second of 2026, UTC. */
  readonly start?: Date | number | string;
  /**
   * Only controllers and leader election set timers, so that months cost only what happens in them: nodes send no heartbeats
   * and stay ready, nothing expires at the server, and no watch times out. Default: false.
   */
  readonly isQuiet?: boolean;
  /**
   * Sends requests side by side. Faster when a test sends hundreds at once, but their order may then depend on how long code
   * takes to load, so that two runs may differ. Default: false, one at a time.
   */
  readonly isConcurrent?: boolean;
}

/** Options of a clock that only a test moves; `stepped()` returns them. */
export interface Stepped {
  readonly startMs: number;
  readonly isQuiet: boolean;
  readonly isConcurrent: boolean;
}

/** Gives a plane a clock that stands still until `plane.clock.advance('10m')` moves it. */
export function stepped(options: SteppedOptions = {}): Stepped {
  const { start = Date.UTC(2026, 0, 1), isQuiet = false, isConcurrent = false } = options;
  const startMs = typeof start === 'number' ? start : new Date(start).getTime();
  if (Number.isNaN(startMs)) throw new RangeError(`Cannot start a clock at ${String(start)}: not a valid time`);
  return { startMs, isQuiet, isConcurrent };
}

interface SteppedPlaneClockOptions extends SteppedClockOptions {
  /** Called once for each `advance` that takes long by the machine's clock, while it is under way. */
  readonly onSlow?: (progress: SlowAdvance) => void;
  /** Default: 3 seconds, so that it is called before vitest and jest end a test. */
  readonly slowAfterMs?: number;
}

export interface SlowAdvance {
  /** Time to pass, by the plane's clock. */
  readonly byMs: number;
  /** Time that has passed so far, by the plane's clock. */
  readonly passedMs: number;
  /** Time that it has taken so far, by the machine's clock. */
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

/** Returns a clock with the time of another; its timers never fire. */
export function clockWithoutTimers(clock: Clock): Clock {
  const sleeping = new SteppedClock();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, options) => sleeping.sleep(ms, options),
    setTimer: (ms, callback): Timer => sleeping.setTimer(ms, callback),
  };
}

/**
 * Returns the clock of a process that may be killed. Once `killed` has aborted, its timers never fire and its sleeps never
 * end, unless their own signal aborts. During a standstill they wait.
 */
export function killableClock(clock: Clock, killed: AbortSignal, standstill?: Standstill): Clock {
  const pending = new Set<Timer>();
  onAbort(killed, () => {
    for (const timer of pending) timer.cancel();
    pending.clear();
  });
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: async (ms, options) => {
      await killableSleep(clock, killed, ms, options?.signal);
      if (standstill?.ended !== undefined) await standstill.ended;
    },
    setTimer: (ms, callback): Timer => {
      if (killed.aborted) return NEVER;
      const timer = clock.setTimer(ms, () => {
        pending.delete(timer);
        if (standstill?.ended === undefined) callback();
        else standstill.ended.then(() => (killed.aborted ? undefined : callback()));
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

async function killableSleep(clock: Clock, killed: AbortSignal, ms: number, signal: AbortSignal | undefined) {
  const end = new AbortController();
  using _kill = onAbort(killed, (reason) => end.abort(reason));
  using _stop = onAbort(signal, (reason) => end.abort(reason));
  try {
    await clock.sleep(ms, { signal: end.signal });
  } catch (error) {
    if (!killed.aborted) throw error;
    throw await (signal === undefined ? new Promise<never>(() => undefined) : onceAborted(signal));
  }
}
