import { lookup } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { Client } from '@pintle/client';
import { OperatorError } from '../errors.ts';

/**
 * Throws when the API server that `client` talks to would look for webhooks at `url` on another machine: an address of
 * this machine alone is only registered where the server is on it too. Port-forwards and containers end at an address
 * of this machine, though their server is elsewhere; a server that is Pintle's own is taken to be here, any other only
 * when somebody said the URL, which `isSaid` tells.
 */
export async function checkReach(
  client: Client,
  { url, isSaid, signal }: { readonly url: string; readonly isSaid: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { endpoint } = client.transport;
  if (endpoint === undefined || !(await isLoopback(hostOf(url)))) return;
  const { server, proxy } = endpoint;
  const isHere = proxy === undefined && (await isLoopback(hostOf(server)));
  if (isHere && (isSaid || (await isPintle(client, signal)))) return;
  throw new OperatorError({ code: 'WebhooksOutOfReach', server, url });
}

/** Whether a host is this machine and nothing else. */
export async function isLoopback(host: string): Promise<boolean> {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return isLoopback6(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return (
    found.length > 0 &&
    found.every(({ address }) => (isIPv4(address) ? address.startsWith('127.') : isLoopback6(address)))
  );
}

/** The one address, and those of the fourth version in the dress of the sixth. */
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
