import type { Manager } from '@pintle/operator';

/**
 * Active resources of Node.js that will call back: reads of files (as while a module loads), DNS lookups, connects, key
 * derivation. Open sockets and servers do not count, because they may stay silent.
 */
const UNDER_WAY = /Req|ConnectWrap$|WriteWrap$/;
/** A timer of the machine's clock. */
const TIMER = 'Timeout';

/** Detects whether anything can still happen in this process while the plane's clock stands still. */
export class IdleDetector {
  readonly #managers: () => readonly Manager[];
  /** Fewest timers so far: jest and mocha have one for each test, which is no work of the test. */
  #leastTimers = Number.POSITIVE_INFINITY;

  constructor(managers: () => readonly Manager[]) {
    this.#managers = managers;
    this.hasNoInput();
  }

  /** True when no work is left. Call it while no request is under way. */
  isIdle(): boolean {
    return busyWork(this.#managers()).length === 0 && this.hasNoInput();
  }

  /** True when nothing will arrive from outside of the process, as far as Node.js knows. */
  hasNoInput(): boolean {
    const resources = process.getActiveResourcesInfo();
    const timers = resources.filter((type) => type === TIMER).length;
    this.#leastTimers = Math.min(this.#leastTimers, timers);
    return timers === this.#leastTimers && !resources.some((type) => UNDER_WAY.test(type));
  }
}

/** Describes the informers and controllers that have work to do now. */
export function busyWork(managers: readonly Manager[]): string[] {
  return managers.flatMap((manager) => [
    ...manager.informers
      .informers()
      .filter(({ isSynced }) => !isSynced)
      .map(({ type }) => `the informer of ${type.plural} is not synced`),
    ...manager.controllers.flatMap(({ name, queue, mapping }) => {
      const { ready, active } = queue.stats();
      const waiting = ready + mapping;
      return waiting + active === 0 ? [] : [`${name} has ${active} active and ${waiting} waiting`];
    }),
  ]);
}

/** Returns the time until the next delayed item is due. */
export function nextDueMs(managers: readonly Manager[]): number {
  const due = managers.flatMap(({ controllers }) => controllers.map(({ queue }) => queue.stats().nextDueMs));
  return Math.min(Number.POSITIVE_INFINITY, ...due.filter((ms) => ms !== undefined));
}
