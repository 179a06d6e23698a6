import { isIP, isIPv4 } from 'node:net';
import { type ControllerName, chooseControllers } from '@pintle/controllers/names';
import { table } from '@pintle/machinery/table';
import { UsageError } from './usage-error.ts';

export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) {
    throw new UsageError(`Cannot listen on port ${JSON.stringify(text)}: a port is a number from 0 to 65535`);
  }
  return port;
}

const HOST_NAME = /^(?!-)[A-Za-z0-9.-]{1,253}$/;
const MAPPED_PREFIX = /^::ffff:/i;

/**
 * Reads the address to listen on, in the form that certificates use: without the brackets of a URL, and IPv4 addresses
 * mapped to IPv6 as IPv4. Throws UsageError for an address that certificates cannot name.
 */
export function readHost(text: string): string {
  const host = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  const mapped = host.replace(MAPPED_PREFIX, '');
  if (MAPPED_PREFIX.test(host) && isIPv4(mapped)) return mapped;
  if (host.includes('%')) {
    throw new UsageError(`Cannot listen on ${JSON.stringify(text)}: certificates cannot name an address with a zone`);
  }
  if (isIP(host) === 0 && !HOST_NAME.test(host)) {
    throw new UsageError(`Cannot listen on ${JSON.stringify(text)}: it is not an address or a host name`);
  }
  return host;
}

const MAX_NODES = 250;
const MAX_REPLICAS = 1_000;
const MAX_SECONDS = 1_000_000;

/** Reads a number of simulated nodes. */
export function readNodes(text: string): number {
  return readUpTo(MAX_NODES, text, 'nodes');
}

/** Reads a number of replicas of an operator. */
export function readReplicas(text: string): number {
  return readUpTo(MAX_REPLICAS, text, 'replicas');
}

/** Reads a number of seconds: a million are eleven days. */
export function readSeconds(text: string): number {
  return readUpTo(MAX_SECONDS, text, 'seconds');
}

function readUpTo(max: number, text: string, what: string): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= max))
    throw new UsageError(
      `Cannot use ${JSON.stringify(text)} as the number of ${what}: it is not a number from 0 to ${max}`,
    );
  return number;
}

/** Reads true or false, as flags of Kubernetes are written: `--leader-elect=false`. */
export function readBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false')
    throw new UsageError(`Cannot use ${JSON.stringify(text)}: it is neither true nor false`);
  return text === 'true';
}

/** Reads a number of revisions: a trillion is more than a store ever has. */
export function readRevisions(text: string): number {
  if (!/^\d{1,12}$/.test(text))
    throw new UsageError(`Cannot use ${JSON.stringify(text)}: it is not a number of revisions`);
  return Number(text);
}

const UNITS_MS: Readonly<Record<string, number>> = table({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 });

/** Reads a duration such as 90s or 5m as milliseconds; a number alone means seconds. */
export function readDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6}(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = amount === undefined ? Number.NaN : Number(amount) * UNITS_MS[unit]!;
  if (!(ms > 0)) throw new UsageError(`Cannot use ${JSON.stringify(text)}: it is not a duration such as 90s or 5m`);
  return ms;
}

/** Reads --controllers: names separated by commas; an empty text enables none. */
export function readControllers(text: string): ControllerName[] {
  const choices = text
    .split(',')
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '');
  try {
    return chooseControllers(choices);
  } catch (error) {
    throw new UsageError((error as TypeError).message);
  }
}
