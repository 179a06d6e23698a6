import { realClock } from '@pintle/async';
import { errorText } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import type { Backend } from '../backend/backend.ts';
import type { PlaneClock } from '../clock/plane-clock.ts';
import { type Duration, toMs } from '../duration.ts';
import type { RequestInterceptor } from '../intercept/request-interceptor.ts';
import type { RequestEntry } from '../requests/request-log.ts';
import { busyWork, IdleDetector, nextDueMs } from './idle-detector.ts';
import { thrownFrom } from './own-frames.ts';

export interface EventuallyOptions {
  /**
   * Limit by the plane's clock. Default on a stepped clock: 5 minutes, and then as long as work is under way that needs no time
   * of the clock, such as code that loads, up to the plane's `patience`. Default on the machine's clock: the plane's
   * `patience`.
   */
  readonly within?: Duration;
}

export interface IdleOptions {
  /** Work that is due within this time counts as left to do, and time passes until it is done. Default: 1 second. */
  readonly horizon?: Duration;
  /** Limit by the plane's clock. Default: as for `eventually`. */
  readonly within?: Duration;
}

interface WaiterDependencies {
  readonly interceptor: RequestInterceptor;
  readonly clock: PlaneClock;
  /** Kind of the server; one in another process gets more real time. */
  readonly server: Backend['kind'];
  /** Time at which the plane began to start, by the machine's clock. */
  readonly startedMs: number;
  /**
   * Real time after `startedMs` at which a wait fails. Default: when no work is left, and before the test runners' limit of
   * 5 s.
   */
  readonly patienceMs?: number | undefined;
  /** Returns the running managers. */
  managers(): readonly Manager[];
  /** Warnings and errors, latest last. */
  readonly complaints: readonly string[];
  /** Throws when something that should run has failed. */
  check(): void;
  /** Aborts when the plane is closed: from then on nothing happens that a wait could see. */
  readonly closed: AbortSignal;
}

/** Step of the clock while a test waits. */
const STEP_MS = 1_000;
const POLL_MS = 5;
/** Real time for an existing cluster to act, for each step of the plane's clock. */
const CLUSTER_STEP_MS = 200;
const LIMIT_MS = 300_000;
/**
 * vitest and jest end a test after 5 s by default, without a reason. A cluster gets longer: its garbage collector learns of
 * new kinds every 30 s, and a test on it needs a longer limit anyway.
 */
const PATIENCE_MS = { memory: 3_500, binaries: 30_000, 'existing cluster': 90_000 };
/** Shortest real time for a wait, however late in a test it begins. */
const LEAST_PATIENCE_MS = 1_000;
/** Real time without activity after which a wait fails. A cluster has controllers whose work is not visible. */
const IDLE_MS = { memory: 500, binaries: 2_000, 'existing cluster': Number.POSITIVE_INFINITY };

/** Actor of the controllers and nodes that the plane runs, in the request log. */
export const CONTROL_PLANE_ACTOR = 'kube-controller-manager';
/** Number of complaints and of requests in the error of a failed wait. */
const SHOWN = 5;

/** Filters of the requests in the error of a failed wait: the first that leaves any is used. */
const CHOICES = [isDeed, isAboutTest, isRelevant];

const CLOSED = 'Cannot wait: the plane is closed. Await every wait before the test ends';

/** An operator that is stopping and does nothing for so long waits for the clock. */
const STOPPED_MS = 100;

/** Waits for conditions while work runs and time passes. */
export class Waiter {
  readonly #dependencies: WaiterDependencies;
  readonly #idleDetector: IdleDetector;

  constructor(dependencies: WaiterDependencies) {
    this.#dependencies = dependencies;
    this.#idleDetector = new IdleDetector(() => dependencies.managers());
  }

  /**
   * Repeats `attempt` until it returns something that is not false, undefined or null, and returns that. In between, all work
   * runs and time passes. An error that `attempt` throws counts as not yet; the last one is the cause when the wait fails.
   */
  async eventually<T>(
    attempt: () => T | Promise<T>,
    { within }: EventuallyOptions = {},
  ): Promise<NonNullable<Exclude<T, false>>> {
    const here = new Error();
    const limit = this.#limit(within);
    let why: unknown;
    let returned: unknown;
    using _slow = this.#warnWhenSlow(limit, () => why);
    for (;;) {
      if (this.#dependencies.clock.isStepped) await this.#dependencies.interceptor.settle();
      this.#check(here);
      try {
        const found = await attempt();
        if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<T, false>>;
        why = undefined;
        returned = found;
      } catch (error) {
        why = error;
      }
      if (limit.isOver()) throw thrownFrom(here, this.#giveUp(why, limit, `the function returned ${String(returned)}`));
      await this.#pass(STEP_MS, limit);
    }
  }

  /** Resolves once no informer, queue or controller has anything left to do. */
  async untilIdle({ horizon = 1_000, within }: IdleOptions = {}): Promise<void> {
    const here = new Error();
    const limit = this.#limit(within);
    using _slow = this.#warnWhenSlow(limit, () => undefined);
    for (;;) {
      this.#dependencies.interceptor.expectAnything();
      await this.#dependencies.interceptor.settle();
      this.#check(here);
      const busy = busyWork(this.#dependencies.managers());
      const dueMs = nextDueMs(this.#dependencies.managers());
      if (busy.length === 0 && dueMs > toMs(horizon)) return;
      if (limit.isOver()) {
        const why = busy.length === 0 ? new Error('not idle: delayed items keep becoming due') : undefined;
        throw thrownFrom(here, this.#giveUp(why, limit));
      }
      await this.#pass(busy.length > 0 ? STEP_MS : Math.max(dueMs, 1), limit);
    }
  }

  /**
   * Resolves when `promise` has settled, when no work is left although it has not, or after `withinMs` of real time. The
   * plane's clock stands still.
   */
  async untilQuiet(promise: Promise<unknown>, { withinMs }: { readonly withinMs: number }): Promise<void> {
    const done = new AbortController();
    const settled = promise.then(() => done.abort());
    const still = async (): Promise<void> => {
      const sinceMs = new Stopwatch(() => this.#idleDetector.hasNoInput());
      while (!done.signal.aborted && sinceMs.elapsed() < STOPPED_MS) {
        await this.#dependencies.interceptor.settle();
        await realClock.sleep(POLL_MS);
      }
    };
    const late = realClock.sleep(withinMs, { signal: done.signal }).catch(() => undefined);
    // Does not wait for a promise that never settles.
    await Promise.race([settled, still().catch(() => undefined), late]);
    done.abort();
  }

  /** Throws when there is nothing to wait for any more. `here` was created where the test called. */
  #check(here: Error): void {
    if (this.#dependencies.closed.aborted) throw thrownFrom(here, new Error(CLOSED));
    this.#dependencies.check();
  }

  #limit(within: Duration | undefined): Limit {
    const { clock, server, startedMs, patienceMs } = this.#dependencies;
    const limitMs = within !== undefined ? toMs(within) : clock.isStepped ? LIMIT_MS : 0;
    const isPatient = within === undefined || server !== 'memory';
    const fullPatienceMs = patienceMs ?? PATIENCE_MS[server];
    const leftMs = patienceLeft(startedMs, fullPatienceMs);
    // More patience means a slower machine, which may be idle for longer before it goes on.
    const idleMs = IDLE_MS[server] * Math.max(1, fullPatienceMs / PATIENCE_MS[server]);
    return new Limit({
      clock,
      limitMs,
      patienceMs: isPatient ? leftMs : 0,
      idleMs: clock.isStepped ? idleMs : Number.POSITIVE_INFINITY,
      slowAfterMs: leftMs,
      isIdle: () => this.#idleDetector.isIdle(),
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
    // The plane's time is used up; only work in real time can still help.
    if (!clock.isStepped || limit.isPassed) await realClock.sleep(POLL_MS);
    else if (this.#dependencies.server === 'existing cluster') await realClock.sleep(CLUSTER_STEP_MS);
  }

  /** `instead` says what happened where nothing was thrown. */
  #giveUp(why: unknown, limit: Limit, instead = ''): Error {
    const { interceptor, complaints } = this.#dependencies;
    const reason = why === undefined ? instead : errorText(why);
    const parts = [`It did not happen within ${limit.describe()}${reason && `: ${reason}`}`];
    const busy = busyWork(this.#dependencies.managers());
    if (busy.length > 0) parts.push(`Not idle: ${busy.join(', ')}`);
    if (complaints.length > 0) parts.push(`Complaints:\n  ${counted(complaints).slice(-SHOWN).join('\n  ')}`);
    const requests = CHOICES.map((isShown) => interceptor.log.tail(SHOWN, isShown)).find((text) => text !== '') ?? '';
    if (requests !== '') parts.push(`Last requests:\n${requests}`);
    return new Error(parts.join('\n'), { cause: why });
  }
}

/** Location in the user's code at the end of a complaint. Controllers log it only once a minute for the same error. */
const LOCATION = / \([^()\s]+:\d+\)$/;

/** Returns each complaint once with its count, ordered by its last occurrence. */
function counted(complaints: readonly string[]): string[] {
  const byText = new Map<string, { readonly location: string; readonly count: number }>();
  for (const each of complaints) {
    const [location = ''] = LOCATION.exec(each) ?? [];
    const text = each.slice(0, each.length - location.length);
    const known = byText.get(text);
    byText.delete(text);
    byText.set(text, { location: location || (known?.location ?? ''), count: (known?.count ?? 0) + 1 });
  }
  return [...byText].map(
    ([text, { location, count }]) => `${shortened(text)}${location}${count === 1 ? '' : ` (${count} times)`}`,
  );
}

/** Longest text of a complaint. A refused grant lists every right of a role. */
const COMPLAINT_WIDTH = 1_000;

function shortened(text: string): string {
  return text.length <= COMPLAINT_WIDTH ? text : `${text.slice(0, COMPLAINT_WIDTH)}…`;
}

/** Leaves out watches, which are renewed as time passes and would hide what an operator did. */
function isDeed(entry: RequestEntry): boolean {
  return isAboutTest(entry) && entry.verb !== 'watch';
}

/** Leaves out built-in controllers and renewals of leases, which would hide the requests that the test is about. */
function isAboutTest(entry: RequestEntry): boolean {
  return isRelevant(entry) && entry.actor !== CONTROL_PLANE_ACTOR && entry.resource !== 'leases';
}

/** Leaves out reads of the test itself, which repeats them while it waits. */
function isRelevant({ actor, isWrite }: RequestEntry): boolean {
  return isWrite || actor !== 'test';
}

/**
 * Returns the rest of a plane's patience. A plane that is much older was started before the test, or by a test with a longer
 * limit; its waits get the full patience.
 */
function patienceLeft(startedMs: number, patienceMs: number): number {
  const spentMs = realClock.monotonic() - startedMs;
  return spentMs > patienceMs + LEAST_PATIENCE_MS ? patienceMs : Math.max(patienceMs - spentMs, LEAST_PATIENCE_MS);
}

interface LimitOptions {
  readonly clock: PlaneClock;
  /** By the plane's clock. */
  readonly limitMs: number;
  /** In real time. */
  readonly patienceMs: number;
  /** Real time without activity after which the wait fails. */
  readonly idleMs: number;
  /** Real time after which a wait that goes on is warned of. */
  readonly slowAfterMs: number;
  readonly isIdle: () => boolean;
}

/** Limit of a wait, by the plane's clock and in real time. */
class Limit {
  readonly #options: LimitOptions;
  readonly #startMs: number;
  readonly #realStartMs = realClock.monotonic();
  readonly #idle: Stopwatch;

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#startMs = options.clock.monotonic();
    this.#idle = new Stopwatch(options.isIdle);
  }

  get slowAfterMs(): number {
    return this.#options.slowAfterMs;
  }

  /** True when the limit by the plane's clock has passed. */
  get isPassed(): boolean {
    return this.#options.clock.monotonic() - this.#startMs >= this.#options.limitMs;
  }

  isOver(): boolean {
    if (!this.isPassed) return false;
    const { patienceMs, idleMs } = this.#options;
    return realClock.monotonic() - this.#realStartMs >= patienceMs || this.#idle.elapsed() >= idleMs;
  }

  /** Describes the time since the wait began. */
  describe(): string {
    const { clock } = this.#options;
    const real = seconds(realClock.monotonic() - this.#realStartMs);
    return clock.isStepped ? `${seconds(clock.monotonic() - this.#startMs)} of the plane’s clock (${real})` : real;
  }
}

/** Measures for how long a condition has been true at each call. */
class Stopwatch {
  readonly #condition: () => boolean;
  #sinceMs = Number.POSITIVE_INFINITY;

  constructor(condition: () => boolean) {
    this.#condition = condition;
  }

  /** Evaluates the condition, and returns milliseconds of real time: 0 when it is false. */
  elapsed(): number {
    const nowMs = realClock.monotonic();
    this.#sinceMs = this.#condition() ? Math.min(this.#sinceMs, nowMs) : Number.POSITIVE_INFINITY;
    return Math.max(0, nowMs - this.#sinceMs);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
