import type { CampaignResult } from './campaign.ts';

/** The event loop turns at least this often, whatever is sent. */
const MAX_STALL_MS = 250;
/** The server never holds more than this, whatever is sent and not taken. */
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;

/** Tells what happened, and what should not have. */
export function summarize({ seed, sent, families, errors, server, exit, violations }: CampaignResult): {
  readonly lines: readonly string[];
  readonly complaints: readonly string[];
} {
  const { longestBusyStallMs, peakMemoryBytes, isPrototypeClean } = server;
  const memory = `${Math.round(peakMemoryBytes / 1024 / 1024)} MiB`;
  const lines = [`seed ${seed}: ${sent} requests, longest stall ${longestBusyStallMs} ms, at most ${memory}`];
  const complaints: string[] = [];
  for (const [name, family] of families) {
    const statuses = [...family.statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status} × ${times}`);
    lines.push(`${name}: ${family.sent} (${statuses.join(', ')})`);
    for (const [what, { times, sample }] of family.complaints)
      complaints.push(`${name}: ${times} × ${what}\n    as for ${sample}`);
  }
  for (const [error, times] of errors) complaints.push(`logged ${times} ×: ${error}`);
  complaints.push(...violations);
  if (exit !== 0) complaints.push(`the server ended with ${exit} when it was told to stop`);
  if (!isPrototypeClean) complaints.push('Object.prototype was changed');
  if (longestBusyStallMs > MAX_STALL_MS) complaints.push(`the event loop stood still for ${longestBusyStallMs} ms`);
  if (peakMemoryBytes > MAX_MEMORY_BYTES) complaints.push(`the server held ${memory}`);
  return { lines, complaints };
}
