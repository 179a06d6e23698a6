import { Backoff, type Clock, type Random, type Runnable } from '@pintle/async';

interface KeepRunningOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called after each failure, with the delay before the next start. */
  readonly onFailure: (error: unknown, waitMs: number) => void;
  readonly signal: AbortSignal;
}

const BACKOFF = { initialMs: 1_000, maxMs: 60_000 };
/** Run time after which the backoff starts over. */
const STEADY_MS = 300_000;

/**
 * Restarts a Runnable whenever it fails, until `signal` aborts. A manager that loses its lease, for example while the machine
 * sleeps, fails and has to be restarted.
 */
export async function keepRunning(
  load: () => Promise<Runnable>,
  { clock, random, onFailure, signal }: KeepRunningOptions,
): Promise<void> {
  const backoff = new Backoff({ ...BACKOFF, random });
  while (!signal.aborted) {
    const startedMs = clock.monotonic();
    try {
      const runnable = await load();
      return await runnable.run({ signal });
    } catch (error) {
      if (signal.aborted) return;
      if (clock.monotonic() - startedMs >= STEADY_MS) backoff.reset();
      const waitMs = backoff.next();
      onFailure(error, waitMs);
      await clock.sleep(waitMs, { signal }).catch(() => undefined);
    }
  }
}
