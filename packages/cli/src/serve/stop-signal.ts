import { realClock } from '@pintle/async';

/** Resolves on the first stop signal. The second one exits at once. */
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

const POLL_MS = 1_000;
/** Delay before stopping, in which other children of the parent may use this process to stop in order. */
const LINGER_MS = 1_000;

/** Resolves once the parent process is gone, which changes the parent id. Does not keep the process alive. */
export function parentGone(parent: number): Promise<void> {
  return new Promise((resolve) => {
    const poll = (): void => {
      if (process.ppid !== parent) resolve();
      else realClock.setTimer(POLL_MS, poll);
    };
    poll();
  });
}

/**
 * Resolves shortly after the process at the other end of the IPC channel is gone; never without a channel. Does not keep the
 * process alive.
 */
export async function channelClosed(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.channel === undefined || process.channel === null) return;
    process.once('disconnect', resolve);
    process.channel.unref();
    // The reader of the output is gone too.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  });
  await realClock.sleep(LINGER_MS);
}
