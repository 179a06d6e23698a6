import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '@pintle/async';

/** `silent`: it cannot be reached from here, which does not tell whether the API server reaches it. */
export type Registrant = 'running' | 'gone' | 'silent';

const TIMEOUT_MS = 2_000;
/** Errors of addresses that nothing answers at, perhaps only from here. */
const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNRESET']);

/**
 * Looks for the process that registered webhooks at `url`: it has the certificate that `authorities` vouch for, in PEM. Another
 * program at its port has not. A process that accepts a connection and takes its time is running.
 */
export async function findRegistrant(
  { url, authorities }: { readonly url: string; readonly authorities: string },
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<Registrant> {
  const { connect } = await import('node:tls');
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const options: ConnectionOptions = {
    host,
    port: port === '' ? 443 : Number(port),
    ca: authorities,
    ...(isIP(host) === 0 && { servername: host }),
  };
  signal?.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const socket = connect(options);
    let isConnected = false;
    const decide = (found: Registrant): void => {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
      socket.destroy();
      resolve(found);
    };
    const abort = (): void => {
      reject(signal?.reason);
      decide('silent');
    };
    const timer = clock.setTimer(TIMEOUT_MS, () => decide(isConnected ? 'running' : 'silent'));
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once('secureConnect', () => decide('running'));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => decide(UNREACHABLE.has(code) ? 'silent' : 'gone'));
  });
}
