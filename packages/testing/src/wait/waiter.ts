import { realClock } from '@pintle/async';
import { errorText } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import type { Backend } from '../backend/backend.ts';
import type { PlaneClock } from '../clock/plane-clock.ts';
import { type Duration, toMs } from '../duration.ts';
import type { RequestEntry } from '../requests/request-log.ts';
import type { Wire } from '../wire/wire.ts';
import { thrownFrom } from './own-frames.ts';
import { busyWork, nextDueMs, Stillness } from './stillness.ts';

export interface EventuallyOptions {
  /**
   * How much of the plane's time may pass. Default, where a test moves the clock: 5 minutes, and as long as something is
   * under way that takes none of its time, such as code that loads, but no longer than the plane is patient. Default on
   * the machine's clock: as long as the plane is patient.
   */
  readonly within?: Duration;
}

export interface IdleOptions {
  /** What is due within so long counts as left to do, and time passes until it is done. Default: 1 second. */
  readonly horizon?: Duration;
  /** Who has not come to rest after so much of the plane's time never will. Default: as for `eventually`. */
  readonly within?: Duration;
}

interface WaiterDependencies {
  readonly wire: Wire;
  readonly clock: PlaneClock;
  /** Where the server is: elsewhere it takes its own time. */
  readonly server: Backend['kind'];
  /** When the plane began to start, by the machine's clock. */
  readonly startedMs: number;
  /**
   * How long after that a wait that fails ends. Default: when nothing moves any more, and before the test runners' own
   * limit of 5 s.
   */
  readonly patienceMs?: number | undefined;
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
/** A cluster is given so long to act, in everybody's time, for each step of the plane's. */
const CLUSTER_STEP_MS = 200;
const LIMIT_MS = 300_000;
/**
 * vitest and jest end a test after 5 s unless told otherwise, and tell nothing then. A cluster is given longer: its garbage
 * collector learns of new kinds every 30 s, and a test on it has to be given more time anyway.
 */
const PATIENCE_MS = { memory: 3_500, binaries: 30_000, 'existing cluster': 90_000 };
/** However late in a test a wait begins, it is given so long. */
const LEAST_PATIENCE_MS = 1_000;
/** When nothing has moved for so long, nothing will. A cluster has controllers of its own, of which nothing is known. */
const STILL_MS = { memory: 500, binaries: 2_000, 'existing cluster': Number.POSITIVE_INFINITY };

/** Names the controllers and nodes that a plane was asked to run, in the log of requests. */
export const CONTROL_PLANE_ACTOR = 'kube-controller-manager';
/** A message that tells of a failed wait shows so many complaints and so many requests. */
const SHOWN = 5;

/** An operator that was asked to stop and does nothing for so long waits for the clock. */
const STOPPED_MS = 100;

/** Waits for things that happen by themselves. */
export class Waiter {
  readonly #dependencies: WaiterDependencies;
  readonly #stillness: Stillness;

  constructor(dependencies: WaiterDependencies) {
    this.#dependencies = dependencies;
    this.#stillness = new Stillness(() => dependencies.managers());
  }

  /**
   * Looks again and again, letting everything run and time pass, until `look` gives something that is not false,
   * undefined or null, and gives that. What `look` throws means that it is not so yet. Fails with the last of it.
   */
  async eventually<T>(
    look: () => T | Promise<T>,
    { within }: EventuallyOptions = {},
  ): Promise<NonNullable<Exclude<T, false>>> {
    const here = new Error();
    const limit = this.#limit(within);
    let why: unknown;
    using _slow = this.#warnWhenSlow(limit, () => why);
    for (;;) {
      if (this.#dependencies.clock.isStepped) await this.#dependencies.wire.settle();
      this.#dependencies.check();
      try {
        const found = await look();
        if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>;
        why = undefined;
      } catch (error) {
        why = error;
      }
      if (limit.isOver()) throw thrownFrom(here, this.#giveUp(why, limit));
      await this.#pass(STEP_MS, limit);
    }
  }

  /** Resolves once no informer, queue or controller has anything left to do. */
  async untilIdle({ horizon = 1_000, within }: IdleOptions = {}): Promise<void> {
    const here = new Error();
    const limit = this.#limit(within);
    using _slow = this.#warnWhenSlow(limit, () => undefined);
    for (;;) {
      this.#dependencies.wire.expectAnything();
      await this.#dependencies.wire.settle();
      this.#dependencies.check();
      const busy = busyWork(this.#dependencies.managers());
      const dueMs = nextDueMs(this.#dependencies.managers());
      if (busy.length === 0 && dueMs > toMs(horizon)) return;
      if (limit.isOver()) {
        const why = busy.length === 0 ? new Error('not idle: something is due all the time') : undefined;
        throw thrownFrom(here, this.#giveUp(why, limit));
      }
      await this.#pass(busy.length > 0 ? STEP_MS : Math.max(dueMs, 1), limit);
    }
  }

  /**
   * Resolves when `promise` has settled, when nothing moves any more though it has not, or after so much of everybody's
   * time. No time of the plane's passes.
   */
  async untilStill(promise: Promise<unknown>, { withinMs }: { readonly withinMs: number }): Promise<void> {
    const done = new AbortController();
    const settled = promise.then(() => done.abort());
    const still = async (): Promise<void> => {
      const sinceMs = new Since(() => this.#stillness.isWithoutInput());
      while (!done.signal.aborted && sinceMs.elapsed() < STOPPED_MS) {
        await this.#dependencies.wire.settle();
        await realClock.sleep(POLL_MS);
      }
    };
    const late = realClock.sleep(withinMs, { signal: done.signal }).catch(() => undefined);
    // A promise that never settles is not waited for.
    await Promise.race([settled, still().catch(() => undefined), late]);
    done.abort();
  }

  #limit(within: Duration | undefined): Limit {
    const { clock, server, startedMs, patienceMs } = this.#dependencies;
    const limitMs = within !== undefined ? toMs(within) : clock.isStepped ? LIMIT_MS : 0;
    const isPatient = within === undefined || server !== 'memory';
    const fullPatienceMs = patienceMs ?? PATIENCE_MS[server];
    const leftMs = patienceLeft(startedMs, fullPatienceMs);
    // More patience means a slower machine, which may be still for longer before it goes on.
    const stillMs = STILL_MS[server] * Math.max(1, fullPatienceMs / PATIENCE_MS[server]);
    return new Limit({
      clock,
      limitMs,
      patienceMs: isPatient ? leftMs : 0,
      stillMs: clock.isStepped ? stillMs : Number.POSITIVE_INFINITY,
      slowAfterMs: leftMs,
      isStill: () => this.#stillness.isStill(),
    });
  }

  /**
   * Warns of a wait on a stepped clock that goes on longer than the plane is patient because its time hardly passes, even within one
   * step: the test runner may end the test without a reason.
   */
  #warnWhenSlow(limit: Limit, why: () => unknown): Disposable {
    if (!this.#dependencies.clock.isStepped) return { [Symbol.dispose]: () => undefined };
    return realClock.setTimer(limit.slowAfterMs, () => {
      const reason = why();
      const parts = [`Still waiting after ${limit.describe()}${reason === undefined ? '' : `: ${errorText(reason)}`}`];
      const busy = busyWork(this.#dependencies.managers());
      if (busy.length > 0) parts.push(`Not idle: ${busy.join(', ')}`);
      process.emitWarning(parts.join('\n'));
    });
  }

  async #pass(ms: number, limit: Limit): Promise<void> {
    const { clock } = this.#dependencies;
    if (clock.isStepped) await clock.advance(ms);
    // From now on only real time can bring it about.
    if (!clock.isStepped || limit.isPassed) await realClock.sleep(POLL_MS);
    else if (this.#dependencies.server === 'existing cluster') await realClock.sleep(CLUSTER_STEP_MS);
  }

  #giveUp(why: unknown, limit: Limit): Error {
    const { wire, complaints } = this.#dependencies;
    const reason = why === undefined ? '' : `: ${errorText(why)}`;
    const parts = [`It did not happen within ${limit.describe()}${reason}`];
    const busy = busyWork(this.#dependencies.managers());
    if (busy.length > 0) parts.push(`Not idle: ${busy.join(', ')}`);
    if (complaints.length > 0) parts.push(`Complaints:\n  ${counted(complaints).slice(-SHOWN).join('\n  ')}`);
    const requests = wire.log.tail(SHOWN, isAboutTest) || wire.log.tail(SHOWN, isTelling);
    if (requests !== '') parts.push(`Last requests:\n${requests}`);
    return new Error(parts.join('\n'), { cause: why });
  }
}

/** Where in the person's own code a complaint comes from. Of the same error, controllers tell it once a minute. */
const PLACE = / \([^()\s]+:\d+\)$/;

/** Returns each complaint once, with how often it was made, in the order in which each was made last. */
function counted(complaints: readonly string[]): string[] {
  const byText = new Map<string, { readonly place: string; readonly count: number }>();
  for (const each of complaints) {
    const [place = ''] = PLACE.exec(each) ?? [];
    const text = each.slice(0, each.length - place.length);
    const known = byText.get(text);
    byText.delete(text);
    byText.set(text, { place: place || (known?.place ?? ''), count: (known?.count ?? 0) + 1 });
  }
  return [...byText].map(([text, { place, count }]) => `${text}${place}${count === 1 ? '' : ` (${count} times)`}`);
}

/** The control plane's own controllers and whoever renews a lease ask all the time, and bury what the test is about. */
function isAboutTest(entry: RequestEntry): boolean {
  return isTelling(entry) && entry.actor !== CONTROL_PLANE_ACTOR && entry.resource !== 'leases';
}

/** A test that waits reads all the time, which says nothing. */
function isTelling({ actor, isWrite }: RequestEntry): boolean {
  return isWrite || actor !== 'test';
}

/**
 * How long is left of a plane's patience. A plane that is much older than that was started before the test, or by one that
 * has more time: such a wait has all of it.
 */
function patienceLeft(startedMs: number, patienceMs: number): number {
  const spentMs = realClock.monotonic() - startedMs;
  return spentMs > patienceMs + LEAST_PATIENCE_MS ? patienceMs : Math.max(patienceMs - spentMs, LEAST_PATIENCE_MS);
}

interface LimitOptions {
  readonly clock: PlaneClock;
  /** Of the plane's time. */
  readonly limitMs: number;
  /** Of everybody's time. */
  readonly patienceMs: number;
  /** When nothing moves for so long of everybody's time, patience is at its end. */
  readonly stillMs: number;
  /** When a wait that still goes on is warned of, in everybody's time. */
  readonly slowAfterMs: number;
  readonly isStill: () => boolean;
}

/** How long a wait may take. */
class Limit {
  readonly #options: LimitOptions;
  readonly #startMs: number;
  readonly #realStartMs = realClock.monotonic();
  readonly #still: Since;

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonic();
    this.#still = new Since(options.isStill);
  }

  get slowAfterMs(): number {
    return this.#options.slowAfterMs;
  }

  /** The limit of the plane's time is. */
  get isPassed(): boolean {
    return this.#options.clock.monotonic() - this.#startMs >= this.#options.limitMs;
  }

  isOver(): boolean {
    if (!this.isPassed) return false;
    const { patienceMs, stillMs } = this.#options;
    return realClock.monotonic() - this.#realStartMs >= patienceMs || this.#still.elapsed() >= stillMs;
  }

  /** How much time has passed since it began. */
  describe(): string {
    const { clock } = this.#options;
    const real = seconds(realClock.monotonic() - this.#realStartMs);
    return clock.isStepped ? `${seconds(clock.monotonic() - this.#startMs)} of the plane’s clock (${real})` : real;
  }
}

/** For how long something has been so each time it was asked. */
class Since {
  readonly #isSo: () => boolean;
  #sinceMs = Number.POSITIVE_INFINITY;

  constructor(isSo: () => boolean) {
    this.#isSo = isSo;
  }

  /** Asks, and gives milliseconds of everybody's time: 0 when it is not so. */
  elapsed(): number {
    const nowMs = realClock.monotonic();
    this.#sinceMs = this.#isSo() ? Math.min(this.#sinceMs, nowMs) : Number.POSITIVE_INFINITY;
    return Math.max(0, nowMs - this.#sinceMs);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
