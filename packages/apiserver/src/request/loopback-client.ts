import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { Status } from '@pintle/machinery/errors';
import { StatusError } from '@pintle/machinery/errors';
import { asJson, encodeJson, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { ApiRequest, ApiResponse } from './exchange.ts';
import { LOOPBACK } from './user-info.ts';

/** Writes objects for parts of the server: by the same requests as other clients, without a socket. */
export class LoopbackClient {
  readonly #handle: (request: ApiRequest) => Promise<ApiResponse>;

  constructor(handle: (request: ApiRequest) => Promise<ApiResponse>) {
    this.#handle = handle;
  }

  async create<T extends KubernetesObject>(type: ResourceType<T>, object: T): Promise<T> {
    return await this.#send('POST', pathOf(type, object.metadata.namespace ?? ''), object);
  }

  async update<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    { subresource = '' }: { readonly subresource?: string } = {},
  ): Promise<T> {
    const { namespace = '', name = '' } = object.metadata;
    const path = `${pathOf(type, namespace)}/${encodeURIComponent(name)}`;
    return await this.#send('PUT', subresource === '' ? path : `${path}/${subresource}`, object);
  }

  /** Applies a configuration to a subresource, and takes over fields of other managers. */
  async apply<T extends KubernetesObject>(
    type: ResourceType<T>,
    { metadata, ...configuration }: Partial<T>,
    { fieldManager, subresource }: { readonly fieldManager: string; readonly subresource: string },
  ): Promise<T> {
    const { namespace = '', name = '' } = metadata ?? {};
    const path = `${pathOf(type, namespace)}/${encodeURIComponent(name)}/${subresource}`;
    const object = { apiVersion: type.apiVersion, kind: type.kind, metadata: { name }, ...configuration };
    const query = `fieldManager=${encodeURIComponent(fieldManager)}&force=true`;
    return await this.#send('PATCH', path, object, { query, contentType: 'application/apply-patch+yaml' });
  }

  async delete(type: ResourceType, namespace: string, name: string): Promise<void> {
    await this.#send('DELETE', `${pathOf(type, namespace)}/${encodeURIComponent(name)}`);
  }

  /** Throws a StatusError for a response with an error status. */
  async #send<T>(
    method: string,
    path: string,
    object?: KubernetesObject,
    { query = '', contentType = 'application/json' } = {},
  ): Promise<T> {
    const { status, body } = await this.#handle({
      method,
      path,
      query,
      headers: { 'content-type': contentType, 'user-agent': 'kube-apiserver' },
      body: object === undefined ? new Uint8Array() : encodeJson(asJson(object)),
      signal: new AbortController().signal,
      peer: { address: '', user: LOOPBACK },
    });
    const value = parseJson(await wholeOf(body), trustedLimits) as unknown;
    if (status >= 400) throw new StatusError(value as Status);
    return value as T;
  }
}

/** Reads a body that may be a stream. */
async function wholeOf(body: ApiResponse['body']): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

function pathOf(type: ResourceType, namespace: string): string {
  const root = type.group === '' ? '/api/v1' : `/apis/${type.apiVersion}`;
  const scope = type.scope === 'Namespaced' && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.plural}`;
}
