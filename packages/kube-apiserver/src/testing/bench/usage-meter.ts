import { monitorEventLoopDelay } from 'node:perf_hooks';
import { realClock } from '@pintle/async';
import type { Usage } from './protocol.ts';

const TICK_MS = 10;

/** Watches the process it runs in: time, memory and how long its event loop stood still. */
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
   * What was used since the last time. With `isCollected` garbage is taken out first, which makes the engine forget much of
   * what it has compiled: for figures of memory, not of speed.
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
    // The collection above is not the server's doing.
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

/** Objects and bytes that the process holds, garbage that was not collected yet included. */
function usedNow(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
