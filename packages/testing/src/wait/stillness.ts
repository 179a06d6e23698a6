import type { Manager } from '@pintle/operator';

/**
 * Resources that end by themselves and then let something happen: files that are read, as while a module loads, names that
 * are looked up, connections that are made, keys that are computed. Open sockets and servers are none: they may stay silent.
 */
const UNDER_WAY = /Req|ConnectWrap$|WriteWrap$/;
/** A timer of the machine's clock that somebody waits for. */
const TIMER = 'Timeout';

/** Tells whether anything can still happen in this process though no time passes on the plane's clock. */
export class Stillness {
  readonly #managers: () => readonly Manager[];
  /** The fewest there ever were: jest and mocha measure each test by one, which says nothing of what it does. */
  #leastTimers = Number.POSITIVE_INFINITY;

  constructor(managers: () => readonly Manager[]) {
    this.#managers = managers;
    this.isWithoutInput();
  }

  /** To be asked when no request is under way. */
  isStill(): boolean {
    return busyWork(this.#managers()).length === 0 && this.isWithoutInput();
  }

  /** Nothing will arrive from outside of the process, as far as it can know. */
  isWithoutInput(): boolean {
    const resources = process.getActiveResourcesInfo();
    const timers = resources.filter((type) => type === TIMER).length;
    this.#leastTimers = Math.min(this.#leastTimers, timers);
    return timers === this.#leastTimers && !resources.some((type) => UNDER_WAY.test(type));
  }
}

/** What has something to do right now, in words. */
export function busyWork(managers: readonly Manager[]): string[] {
  return managers.flatMap((manager) => [
    ...manager.informers
      .informers()
      .filter(({ isSynced }) => !isSynced)
      .map(({ type }) => `the informer of ${type.plural} knows nothing yet`),
    ...manager.controllers.flatMap(({ name, queue, mapping }) => {
      const { ready, active } = queue.stats();
      const waiting = ready + mapping;
      return waiting + active === 0 ? [] : [`${name} has ${active} at work and ${waiting} waiting`];
    }),
  ]);
}

/** How long until the first of what waits for its time is due. */
export function nextDueMs(managers: readonly Manager[]): number {
  const due = managers.flatMap(({ controllers }) => controllers.map(({ queue }) => queue.stats().nextDueMs));
  return Math.min(Number.POSITIVE_INFINITY, ...due.filter((ms) => ms !== undefined));
}
