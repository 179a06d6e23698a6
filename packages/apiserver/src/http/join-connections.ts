import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../request/exchange.ts';

/** A connection after an upgrade, and the first bytes that arrived on it. */
export interface BareConnection {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** Accepts the upgrade and joins the client's connection to the other. Resolves once both have ended. */
export async function joinConnections(
  client: BareConnection,
  other: BareConnection,
  headers: ApiResponse['headers'],
): Promise<void> {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  client.socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  client.socket.write(other.head);
  other.socket.write(client.head);
  try {
    await Promise.all([pipeline(client.socket, other.socket), pipeline(other.socket, client.socket)]);
  } finally {
    client.socket.destroy();
    other.socket.destroy();
  }
}
