import type { IncomingMessage } from 'node:http';
import type { Clock } from '@pintle/async';
import { withTimeout } from '@pintle/async';
import { AGGREGATOR } from './availability.ts';
import type { BackendConnections } from './backend-connections.ts';
import type { RemoteApi } from './remote-api.ts';

export interface BackendDocument {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const TIMEOUT_MS = 5_000;
/** Longer documents are refused: another server's appetite is not this one's memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Gets a document from the server of a remote API; `undefined` when it has none. Rejects when it cannot be asked. */
export async function readBackend(
  { clock, connections }: { readonly clock: Clock; readonly connections: BackendConnections },
  api: RemoteApi,
  { path, accept }: { readonly path: string; readonly accept: string },
  signal: AbortSignal,
): Promise<BackendDocument | undefined> {
  const ask = async (limit: AbortSignal): Promise<BackendDocument | undefined> => {
    const address = await connections.locate(api);
    const { message } = await connections.send(api, address, {
      method: 'GET',
      path,
      headers: { ...AGGREGATOR, accept, 'user-agent': 'pintle-apiserver' },
      body: new Uint8Array(),
      signal: limit,
    });
    if (message.statusCode === 200) return await readAll(message);
    message.destroy();
    return undefined;
  };
  return await withTimeout(ask, TIMEOUT_MS, { clock, signal });
}

async function readAll(message: IncomingMessage): Promise<BackendDocument> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`Cannot read the answer: it is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return { contentType: message.headers['content-type'] ?? '', bytes: Buffer.concat(chunks, length) };
}
