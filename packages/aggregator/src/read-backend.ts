import type { Clock } from '@pintle/async';
import { withTimeout } from '@pintle/async';
import { AGGREGATOR } from './availability.ts';
import type { BackendAnswer } from './backend-answer.ts';
import { BackendBody } from './backend-body.ts';
import type { BackendConnections } from './backend-connections.ts';
import type { RemoteApi } from './remote-api.ts';

export interface BackendDocument {
  readonly contentType: string;
  /** What the server calls this state of it; empty when it does not say. */
  readonly etag: string;
  readonly bytes: Uint8Array;
}

export function isDocument(found: BackendDocument | 'unchanged' | undefined): found is BackendDocument {
  return typeof found === 'object';
}

const TIMEOUT_MS = 5_000;
/** Longer documents are refused: another server's appetite is not this one's memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Gets a document from the server of a remote API; `undefined` when it has none, `unchanged` when it is still what `etag`
 * stands for. Rejects when it cannot be asked.
 */
export async function readBackend(
  { clock, connections }: { readonly clock: Clock; readonly connections: BackendConnections },
  api: RemoteApi,
  { path, accept, etag }: { readonly path: string; readonly accept: string; readonly etag?: string },
  signal: AbortSignal,
): Promise<BackendDocument | 'unchanged' | undefined> {
  const ask = async (limit: AbortSignal): Promise<BackendDocument | 'unchanged' | undefined> => {
    const address = await connections.locate(api);
    const answer = await connections.send(api, address, {
      method: 'GET',
      path,
      headers: { ...AGGREGATOR, accept, 'user-agent': 'pintle-apiserver', ...(etag && { 'if-none-match': etag }) },
      body: new Uint8Array(),
      signal: limit,
    });
    if (answer.status === 200) return await readAll(answer);
    answer.body.destroy();
    return answer.status === 304 && etag !== undefined ? 'unchanged' : undefined;
  };
  return await withTimeout(ask, TIMEOUT_MS, { clock, signal });
}

async function readAll(answer: BackendAnswer): Promise<BackendDocument> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of new BackendBody(answer)) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`Cannot read the answer: it is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { etag = '', 'content-type': contentType = '' } = answer.headers;
  return { contentType, etag, bytes: Buffer.concat(chunks, length) };
}
