import type { TransportRequest, TransportResponse } from '@pintle/client';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { RequestFacts } from '../requests/request-facts.ts';

/** Paths of the objects that were created on a server that outlives the plane, oldest first. */
export class Creations {
  readonly #paths = new Set<string>();
  /** Called after each. */
  onAdded: (() => void) | undefined;

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  add(path: string): void {
    this.#paths.add(path);
    this.onAdded?.();
  }

  /** Notes an object that the response says was created, and returns the response. */
  async note(
    { path }: TransportRequest,
    { verb, subresource, isWrite }: RequestFacts,
    response: TransportResponse,
  ): Promise<TransportResponse> {
    if (response.status !== 201 || subresource !== '' || !isWrite) return response;
    if (verb !== 'create') {
      this.add(path);
      return response;
    }
    const body = await whole(response.body);
    const name = nameIn(body);
    // Reviews have no name, and are not stored.
    if (name !== '') this.add(`${path}/${encodeURIComponent(name)}`);
    return { ...response, body };
  }
}

function nameIn(body: Uint8Array): string {
  const object = parseJson(body, trustedLimits);
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  return isJsonObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '';
}

/** Reads all of a response's body. */
export async function whole(body: TransportResponse['body']): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
