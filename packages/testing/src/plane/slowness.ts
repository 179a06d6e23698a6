import type { SlowAdvance } from '../clock/plane-clock.ts';
import type { RequestLog } from '../requests/request-log.ts';

/** Number of senders that are named, those with the most requests first. */
const SHOWN = 3;

/** Resources of heartbeats, which a quiet clock leaves out. Watches do not end there either, so that none is opened again. */
const HEARTBEAT = /^(?:leases|nodes(?:\/status)?)$/;

/** Describes how far the clock has come, and which requests were sent most often. */
export function describeSlowness({ byMs, passedMs, tookMs }: SlowAdvance, log: RequestLog): string {
  const counts = new Map<string, { readonly isOfTime: boolean; count: number }>();
  for (const { actor, verb, resource } of log.all()) {
    const key = `${actor} ${verb} ${resource}`;
    const known = counts.get(key) ?? { isOfTime: verb === 'watch' || HEARTBEAT.test(resource), count: 0 };
    known.count++;
    counts.set(key, known);
  }
  const most = [...counts].sort(([, a], [, b]) => b.count - a.count).slice(0, SHOWN);
  const described = most.map(([key, { count }]) => `${key} (${count} times)`).join(', ');
  const progress = `${seconds(passedMs)} of ${seconds(byMs)} have passed after ${seconds(tookMs)}`;
  const advice = most.some(([, { isOfTime }]) => isOfTime)
    ? '. With stepped({ isQuiet: true }) only controllers set timers'
    : '';
  return `Advancing the plane's clock takes long: ${progress}. Most requests so far: ${described || 'none'}${advice}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
