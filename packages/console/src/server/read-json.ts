import type { ApiRequest } from '@pintle/apiserver';
import { ConsoleError } from './errors.ts';

/** Reads a body of at most `maxBytes`. */
export async function readJson(request: Pick<ApiRequest, 'body'>, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body instanceof Uint8Array ? [request.body] : request.body) {
    length += chunk.length;
    if (length > maxBytes) throw new ConsoleError({ code: 'TooLarge', maxBytes });
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new ConsoleError({ code: 'BadBody', problem: 'it is no JSON' });
  }
}
