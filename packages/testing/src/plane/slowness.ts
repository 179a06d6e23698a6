import type { SlowAdvance } from '../clock/plane-clock.ts';
import type { RequestLog } from '../requests/request-log.ts';

/** So many of those who ask most are named. */
const SHOWN = 3;

/** Tells how far the clock has come, and who sent most requests. */
export function describeSlowness({ byMs, passedMs, tookMs }: SlowAdvance, log: RequestLog): string {
  const counts = new Map<string, number>();
  for (const { actor, verb, resource } of log.all()) {
    const what = `${actor} ${verb} ${resource}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  const told = most.map(([what, count]) => `${what} (${count} times)`).join(', ');
  const progress = `${passedMs / 1_000} s of ${byMs / 1_000} s have passed after ${tookMs / 1_000} s`;
  return `Advancing the plane's clock takes long: ${progress}. Most requests so far: ${told || 'none'}. With stepped({ isQuiet: true }) only controllers set timers`;
}
