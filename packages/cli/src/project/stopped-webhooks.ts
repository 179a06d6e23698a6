import { BlockList, connect, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * True when a URL of a webhook is an address of this machine at which no process listens: the operator that registered it, with
 * `pintle dev` or `pintle run`, has stopped.
 */
export async function isStopped(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host !== 'localhost' && !LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')) return false;
  return await new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? 443 : Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
