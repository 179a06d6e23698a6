import { realClock } from '@pintle/async';

const LOOK_EVERY_MS = 1_000;

/** Resolves once the process that started this one is gone: another then stands in its place. Keeps nobody alive. */
export function parentGone(parent: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (process.ppid !== parent) resolve();
      else realClock.setTimer(LOOK_EVERY_MS, look);
    };
    look();
  });
}
