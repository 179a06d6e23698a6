import { isIP, isIPv4 } from 'node:net';
import { UsageError } from './usage-error.ts';

const HOST_NAME = /^(?!-)[A-Za-z0-9.-]{1,253}$/;
const MAPPED_PREFIX = /^::ffff:/i;

/**
 * The address to listen on, as certificates name it: without the brackets of a URL, and an IPv4 address written as IPv6 as
 * the IPv4 address it is. Throws UsageError for anything that no certificate can name.
 */
export function readHost(text: string): string {
  const host = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  const mapped = host.replace(MAPPED_PREFIX, '');
  if (MAPPED_PREFIX.test(host) && isIPv4(mapped)) return mapped;
  if (host.includes('%')) {
    throw new UsageError(`Cannot listen on ${JSON.stringify(text)}: no certificate names an address with a zone`);
  }
  if (isIP(host) === 0 && !HOST_NAME.test(host)) {
    throw new UsageError(`Cannot listen on ${JSON.stringify(text)}: it is not an address or a host name`);
  }
  return host;
}
