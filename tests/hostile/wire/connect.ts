import { connect, type TLSSocket } from 'node:tls';
import type { Target } from '../target.ts';

export interface Client {
  readonly certificate: string;
  readonly privateKey: string;
}

/** A connection whose bytes the attacker writes; its errors are its own. Resolves when the handshake is done. */
export async function connectTo(
  { port, authority }: Target,
  protocol: 'h2' | 'http/1.1',
  client?: Client,
): Promise<TLSSocket> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: authority,
    ALPNProtocols: [protocol],
    ...(client && { cert: client.certificate, key: client.privateKey }),
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('secureConnect', resolve);
    socket.once('close', resolve);
  });
  return socket;
}
