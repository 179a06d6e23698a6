import type { Readable } from 'node:stream';
import { ClientError } from '../errors.ts';

/** A body as chunks. Leaving the loop early gives up the connection; one that breaks throws. */
export async function* streamBody(
  stream: Readable,
  server: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new ClientError({ code: 'Unreachable', server, isSent: true }, { cause });
  }
}
