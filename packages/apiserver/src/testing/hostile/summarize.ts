import type { HostileResult } from './run-hostile.ts';

/** The loop must turn at least this often, whatever is sent. */
export const MAX_STALL_MS = 250;

/** What happened, and what should not have. */
export function summarize(result: HostileResult): { lines: string[]; complaints: string[] } {
  const { statuses, failures, server, seed, count } = result;
  const shown = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`);
  const lines = [
    `seed ${seed}: ${count} requests`,
    `answers ${shown.join(', ')}`,
    `longest stall ${server.longestStallMs} ms, of which computing ${server.longestBusyStallMs} ms`,
    `${server.objects} objects stored, ${Math.round(server.rssBytes / 1024 / 1024)} MiB resident`,
  ];
  const complaints = [
    ...Object.entries(failures).map(([what, { times, sample }]) => `${times} times ${what}\n    as for ${sample}`),
    ...Object.entries(server.errors).map(([error, times]) => `${times} times inside: ${error}`),
    ...server.violations,
    ...(server.longestBusyStallMs > MAX_STALL_MS ? [`the loop stood still for ${server.longestBusyStallMs} ms`] : []),
  ];
  return { lines, complaints };
}
