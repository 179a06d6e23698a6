import type { TransportResponse } from '@pintle/client';

/** All of an answer's body. */
export async function whole(body: TransportResponse['body']): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
