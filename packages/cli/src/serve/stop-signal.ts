import { realClock } from '@pintle/async';

/** Resolves when the process is asked to stop. Asked a second time, it stops at once, whatever is going on. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143);
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

const LOOK_EVERY_MS = 1_000;
/** Other children of the parent may need this process to stop in order. */
const LINGER_MS = 1_000;

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

/**
 * Resolves shortly after the process is gone that holds the other end of this one's channel. Never, where nobody does.
 * Keeps nobody alive.
 */
export async function channelClosed(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.channel === undefined || process.channel === null) return;
    process.once('disconnect', resolve);
    process.channel.unref();
    // Whoever read what is written is gone too.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  });
  await realClock.sleep(LINGER_MS);
}
