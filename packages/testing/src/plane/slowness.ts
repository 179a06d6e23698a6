import type { SlowAdvance } from '../clock/plane-clock.ts';
import type { RequestLog } from '../requests/request-log.ts';

/** Number of senders that are named, those with the most requests first. */
const SHOWN = 3;

/** Describes how far the clock has come, and which requests were sent most often. */
export function describeSlowness({ byMs, passedMs, tookMs }: SlowAdvance, log: RequestLog): string {
  const counts = new Map<string, number>();
  for (const { actor, verb, resource } of log.all()) {
    const key = `${actor} ${verb} ${resource}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  const described = most.map(([key, count]) => `${key} (${count} times)`).join(', ');
  const progress = `${passedMs / 1_000} s of ${byMs / 1_000} s have passed after ${tookMs / 1_000} s`;
  return `Advancing the plane's clock takes long: ${progress}. Most requests so far: ${described || 'none'}. With stepped({ isQuiet: true }) only controllers set timers`;
}
