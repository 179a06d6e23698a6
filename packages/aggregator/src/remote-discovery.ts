import type { CatalogResource, RemoteV2 } from '@pintle/apiserver/discovery';
import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { getOwn, isJsonObject, parseJson } from '@pintle/machinery/json';
import type { BackendClient, BackendDocument } from './backend-client.ts';
import { isDocument } from './backend-client.ts';
import type { RemoteApi } from './remote-api.ts';

const LIMITS = { maxBytes: 32 * 1024 * 1024, maxDepth: 200, maxTokens: 2_000_000 };
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Returns the resources of a remote API; `undefined` when its discovery cannot be read. */
export async function remoteResources(
  backends: BackendClient,
  api: RemoteApi,
  signal: AbortSignal,
): Promise<readonly CatalogResource[] | undefined> {
  const all = await backends.read(api, { path: '/apis', accept: `${AGGREGATED},application/json` }, signal);
  const aggregated = isDocument(all) ? fromAggregated(all, api) : undefined;
  if (aggregated !== undefined) return aggregated;
  const path = `/apis/${api.group}/${api.version}`;
  const list = await backends.read(api, { path, accept: 'application/json' }, signal);
  return isDocument(list) ? fromList(list) : undefined;
}

/** Returns the OpenAPI 3 document of the version; `undefined` when the server has no such document. */
export async function remoteOpenApi(
  backends: BackendClient,
  api: RemoteApi,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const path = `/openapi/v3/apis/${api.group}/${api.version}`;
  const document = await backends.read(api, { path, accept: 'application/json' }, signal);
  const value = isDocument(document) ? parse(document) : undefined;
  if (!isDocument(document) || value === undefined || !isJsonObject(value)) return undefined;
  return typeof value.openapi === 'string' ? document.bytes : undefined;
}

/**
 * Returns the version's part of the server's OpenAPI 2 document. The same object as long as the document is the same.
 */
export class RemoteV2Documents {
  readonly #read = new Map<
    string,
    { readonly etag: string; readonly text: Uint8Array; readonly part: RemoteV2 | undefined }
  >();

  async of(backends: BackendClient, api: RemoteApi, signal: AbortSignal): Promise<RemoteV2 | undefined> {
    const name = `${api.version}.${api.group}`;
    const known = this.#read.get(name);
    const ask = { path: '/openapi/v2', accept: 'application/json', ...(known?.etag && { etag: known.etag }) };
    const document = await backends.read(api, ask, signal);
    if (document === 'unchanged') return known?.part;
    if (document === undefined) {
      this.#read.delete(name);
      return undefined;
    }
    if (known !== undefined && Buffer.compare(known.text, document.bytes) === 0) return known.part;
    const { remoteV2 } = await import('@pintle/apiserver/openapi');
    const part = remoteV2(parse(document), api);
    this.#read.set(name, { etag: document.etag, text: document.etag === '' ? document.bytes : NO_TEXT, part });
    return part;
  }

  forget(name: string): void {
    this.#read.delete(name);
  }
}

/** A document with an ETag is compared by that, and need not be kept. */
const NO_TEXT = new Uint8Array();

function fromAggregated(document: BackendDocument, api: RemoteApi): readonly CatalogResource[] | undefined {
  if (!/\bas=APIGroupDiscoveryList\b/.test(document.contentType)) return undefined;
  const group = objectsIn(parse(document), 'items').find(
    (item) => textIn(getOwn(item, 'metadata'), 'name') === api.group,
  );
  const version = objectsIn(group, 'versions').find((item) => textIn(item, 'version') === api.version);
  return version && objectsIn(version, 'resources').map(toResource);
}

function toResource(resource: JsonObject): CatalogResource {
  return {
    resource: textIn(resource, 'resource'),
    singular: textIn(resource, 'singularResource'),
    scope: textIn(resource, 'scope') === 'Cluster' ? 'Cluster' : 'Namespaced',
    responseKind: kindIn(getOwn(resource, 'responseKind')),
    verbs: textsIn(resource, 'verbs'),
    acceptedTypes: [],
    shortNames: textsIn(resource, 'shortNames'),
    categories: textsIn(resource, 'categories'),
    subresources: objectsIn(resource, 'subresources').map((sub) => ({
      subresource: textIn(sub, 'subresource'),
      responseKind: kindIn(getOwn(sub, 'responseKind')),
      verbs: textsIn(sub, 'verbs'),
      acceptedTypes: objectsIn(sub, 'acceptedTypes').map(kindIn),
    })),
  };
}

/** Reads an APIResourceList, which lists subresources like resources: `things/status`. */
function fromList(document: BackendDocument): readonly CatalogResource[] | undefined {
  const list = parse(document);
  if (textIn(list, 'kind') !== 'APIResourceList') return undefined;
  const entries = objectsIn(list, 'resources');
  return entries
    .filter((entry) => !textIn(entry, 'name').includes('/'))
    .map((entry) => {
      const prefix = `${textIn(entry, 'name')}/`;
      const subresources = entries.filter((other) => textIn(other, 'name').startsWith(prefix));
      return {
        resource: textIn(entry, 'name'),
        singular: textIn(entry, 'singularName'),
        scope: getOwn(entry, 'namespaced') === true ? 'Namespaced' : 'Cluster',
        ...endpointOf(entry),
        shortNames: textsIn(entry, 'shortNames'),
        categories: textsIn(entry, 'categories'),
        subresources: subresources.map((sub) => ({
          subresource: textIn(sub, 'name').slice(prefix.length),
          ...endpointOf(sub),
        })),
      };
    });
}

function endpointOf(entry: JsonObject) {
  return { responseKind: kindIn(entry), verbs: textsIn(entry, 'verbs'), acceptedTypes: [] };
}

function kindIn(value: JsonValue | undefined): GroupVersionKind {
  return { group: textIn(value, 'group'), version: textIn(value, 'version'), kind: textIn(value, 'kind') };
}

function parse({ bytes }: BackendDocument): JsonValue | undefined {
  try {
    return parseJson(bytes, LIMITS);
  } catch {
    return undefined;
  }
}

function textIn(value: JsonValue | undefined, key: string): string {
  const found = value !== undefined && isJsonObject(value) ? getOwn(value, key) : undefined;
  return typeof found === 'string' ? found : '';
}

function textsIn(value: JsonObject, key: string): string[] {
  const found = getOwn(value, key);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

function objectsIn(value: JsonValue | undefined, key: string): JsonObject[] {
  const found = value !== undefined && isJsonObject(value) ? getOwn(value, key) : undefined;
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}
