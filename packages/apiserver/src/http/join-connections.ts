import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../request/exchange.ts';

/** A connection that HTTP no longer speaks on, and what came on it already. */
export interface BareConnection {
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** Tells the client that its connection leads to the other one now. Resolves once either has ended, and so both have. */
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
