import type { SlowAdvance } from '../clock/plane-clock.ts';
import type { RequestLog } from '../requests/request-log.ts';

/** So many of those who ask most are named. */
const SHOWN = 3;

/** Requests of heartbeats, which a quiet clock leaves out. */
const HEARTBEAT = /^(?:leases|nodes(?:\/status)?)$/;

/** Tells how far the clock has come, and who sent most requests. */
export function describeSlowness({ byMs, passedMs, tookMs }: SlowAdvance, log: RequestLog): string {
  const counts = new Map<string, { readonly resource: string; count: number }>();
  for (const { actor, verb, resource } of log.all()) {
    const what = `${actor} ${verb} ${resource}`;
    const known = counts.get(what) ?? { resource, count: 0 };
    known.count++;
    counts.set(what, known);
  }
  const most = [...counts].sort(([, a], [, b]) => b.count - a.count).slice(0, SHOWN);
  const told = most.map(([what, { count }]) => `${what} (${count} times)`).join(', ');
  const progress = `${seconds(passedMs)} of ${seconds(byMs)} have passed after ${seconds(tookMs)}`;
  const advice = most.some(([, { resource }]) => HEARTBEAT.test(resource))
    ? '. With stepped({ isQuiet: true }) only controllers set timers'
    : '';
  return `Advancing the plane's clock takes long: ${progress}. Most requests so far: ${told || 'none'}${advice}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
