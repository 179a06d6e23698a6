import type { Manager } from '@pintle/operator';

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
