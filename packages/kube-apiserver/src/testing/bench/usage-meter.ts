import { monitorEventLoopDelay } from 'node:perf_hooks';
import { realClock } from '@pintle/async';
import type { Usage } from './protocol.ts';

const TICK_MS = 10;

/** Measures the process it runs in: CPU time, memory and delays of the event loop. */
export class UsageMeter {
  readonly #delays = monitorEventLoopDelay({ resolution: 1 });
  #cpu = process.cpuUsage();
  #tick = { timeMs: performance.now(), cpu: process.cpuUsage() };
  #busyStallMs = 0;
  #peakRssBytes = 0;
  #peakUsedBytes = 0;

  constructor() {
    this.#delays.enable();
    this.#watch();
  }

  /**
   * Returns what was used since the last call. `isCollected` collects garbage first, which also drops compiled code:
   * for figures of memory, not of speed.
   */
  take({ isCollected }: { readonly isCollected: boolean }): Usage {
    this.#observe();
    const used = process.cpuUsage(this.#cpu);
    const peakRssBytes = this.#peakRssBytes;
    const peakUsedBytes = this.#peakUsedBytes;
    const stallMs = this.#delays.max / 1e6;
    const busyStallMs = this.#busyStallMs;
    if (isCollected) globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const usedBytes = usedNow();
    this.#reset(rss, usedBytes);
    const cpuMs = (used.user + used.system) / 1000;
    return { cpuMs, rssBytes: rss, heapBytes: heapUsed, peakRssBytes, usedBytes, peakUsedBytes, stallMs, busyStallMs };
  }

  #reset(rssBytes: number, usedBytes: number): void {
    this.#peakUsedBytes = usedBytes;
    this.#cpu = process.cpuUsage();
    this.#tick = { timeMs: performance.now(), cpu: process.cpuUsage() };
    this.#busyStallMs = 0;
    this.#peakRssBytes = rssBytes;
    // The collection above is not part of the measurement.
    setImmediate(() => this.#delays.reset());
  }

  #watch(): void {
    realClock.setTimer(TICK_MS, () => {
      this.#observe();
      this.#watch();
    });
  }

  #observe(): void {
    const timeMs = performance.now();
    const used = process.cpuUsage(this.#tick.cpu);
    const busyMs = Math.min(timeMs - this.#tick.timeMs - TICK_MS, (used.user + used.system) / 1000);
    this.#busyStallMs = Math.max(this.#busyStallMs, busyMs);
    this.#peakRssBytes = Math.max(this.#peakRssBytes, process.memoryUsage.rss());
    this.#peakUsedBytes = Math.max(this.#peakUsedBytes, usedNow());
    this.#tick = { timeMs, cpu: process.cpuUsage() };
  }
}

/** Returns heap and external memory, including garbage that was not collected yet. */
function usedNow(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
