import { Backoff, type Clock, type Random, type Runnable } from '@pintle/async';

interface KeepRunningOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Told each time, and how long it is until the next start. */
  readonly onFailure: (error: unknown, waitMs: number) => void;
  readonly signal: AbortSignal;
}

const BACKOFF = { initialMs: 1_000, maxMs: 60_000 };
/** Whoever ran so long had started well. */
const STEADY_MS = 300_000;

/**
 * Starts something again whenever it fails, until `signal` aborts: what loses its lease while the machine sleeps gives up
 * for good, and expects somebody to start it anew.
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
