import { lookup } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { Client } from '@pintle/client';
import { OperatorError } from '../errors.ts';

/**
 * Throws when `url` is a loopback address and the API server is on another machine. Port-forwards and containers have a
 * loopback address too, although their server is elsewhere: a Pintle server at a loopback address is taken to be on this
 * machine, any other server only when the URL was set explicitly (`isExplicit`).
 */
export async function checkReach(
  client: Client,
  { url, isExplicit, signal }: { readonly url: string; readonly isExplicit: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { endpoint } = client.transport;
  if (endpoint === undefined || !(await isLoopback(hostOf(url)))) return;
  const { server, proxy } = endpoint;
  const isHere = proxy === undefined && (await isLoopback(hostOf(server)));
  if (isHere && (isExplicit || (await isPintle(client, signal)))) return;
  throw new OperatorError({ code: 'WebhooksOutOfReach', server, url });
}

/** True when all addresses of a host are loopback addresses. */
export async function isLoopback(host: string): Promise<boolean> {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return isLoopback6(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return (
    found.length > 0 &&
    found.every(({ address }) => (isIPv4(address) ? address.startsWith('127.') : isLoopback6(address)))
  );
}

/** True for `::1`, and for IPv4 loopback addresses mapped to IPv6. */
function isLoopback6(address: string): boolean {
  const { hostname } = new URL(`http://[${address.split('%')[0]}]`);
  return hostname === '[::1]' || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname);
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

async function isPintle(client: Client, signal: AbortSignal): Promise<boolean> {
  const version = (await client.call({ method: 'GET', path: '/version' }, { signal })) as {
    readonly gitVersion?: unknown;
  };
  return typeof version.gitVersion === 'string' && version.gitVersion.endsWith('+pintle');
}
