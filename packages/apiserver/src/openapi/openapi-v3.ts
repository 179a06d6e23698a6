import { createHash } from 'node:crypto';
import { nextTurn } from '@pintle/async';
import { formatGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { CatalogGroup, CatalogVersion, DiscoveryCatalog } from '../discovery/catalog.ts';
import { resourcePaths } from './resource-paths.ts';
import { rootPaths } from './root-paths.ts';
import { builtinSchemas, schemasOf } from './schema-source.ts';
import type { DocumentSource } from './v3-document.ts';
import { v3Document } from './v3-document.ts';

export interface HashedDocument {
  readonly body: Uint8Array;
  /** SHA-512 of the body, in capitals. */
  readonly hash: string;
}

/** Documents are quickly made again, and most clients ask for the same few. */
const KEPT_DOCUMENTS = 8;

/** The OpenAPI 3 documents of what a catalog has, one for each group version; made when asked for. */
export class OpenApiV3 {
  readonly #catalog: DiscoveryCatalog;
  readonly #sources = new WeakMap<readonly CatalogGroup[], ReadonlyMap<string, KeyedSource>>();
  readonly #hashes = new WeakMap<object, string>();
  /** By source, the one that was asked for longest ago first. */
  readonly #kept = new Map<object, Promise<HashedDocument>>();
  readonly #messages = new WeakMap<HashedDocument, Promise<Uint8Array>>();
  readonly #indexes = new WeakMap<readonly CatalogGroup[], Promise<HashedDocument>>();

  constructor(catalog: DiscoveryCatalog) {
    this.#catalog = catalog;
  }

  /** Where each document is found, and its hash. Making it first makes every document once. */
  index(): Promise<HashedDocument> {
    const { groups } = this.#catalog;
    let index = this.#indexes.get(groups);
    if (index === undefined) {
      index = this.#makeIndex();
      this.#indexes.set(groups, index);
      index.catch(() => this.#indexes.delete(groups));
    }
    return index;
  }

  /** A document by its name in the index, as `apis/apps/v1`; `undefined` when there is none. */
  async document(name: string): Promise<HashedDocument | undefined> {
    const found = this.#currentSources().get(name);
    if (found === undefined) return undefined;
    const kept = this.#kept.get(found.key) ?? this.#make(found);
    this.#kept.delete(found.key);
    this.#kept.set(found.key, kept);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT_DOCUMENTS) this.#kept.delete(oldest);
    try {
      return await kept;
    } catch (error) {
      this.#kept.delete(found.key);
      throw error;
    }
  }

  /** The same document as a message of protobuf, kept as long as the document is. */
  protobufOf(document: HashedDocument): Promise<Uint8Array> {
    const known = this.#messages.get(document) ?? messageOf(document);
    this.#messages.set(document, known);
    known.catch(() => this.#messages.delete(document));
    return known;
  }

  async #makeIndex(): Promise<HashedDocument> {
    const paths: Record<string, object> = {};
    for (const [name, found] of this.#currentSources()) {
      const hash = this.#hashes.get(found.key) ?? (await this.#make(found)).hash;
      paths[name] = { serverRelativeURL: addressOf(name, hash) };
    }
    return hashed(Buffer.from(JSON.stringify({ paths })));
  }

  async #make({ key, source }: KeyedSource): Promise<HashedDocument> {
    const body = source instanceof Uint8Array ? source : await v3Document(source);
    await nextTurn();
    const document = hashed(body);
    this.#hashes.set(key, document.hash);
    return document;
  }

  #currentSources(): ReadonlyMap<string, KeyedSource> {
    const { groups } = this.#catalog;
    const sources = this.#sources.get(groups) ?? sourcesOf(groups);
    this.#sources.set(groups, sources);
    return sources;
  }
}

async function messageOf({ body }: HashedDocument): Promise<Uint8Array> {
  const { encodeV3 } = await import('./v3-protobuf.ts');
  return await encodeV3(JSON.parse(Buffer.from(body).toString()) as JsonObject);
}

interface KeyedSource {
  /** Another one as soon as the document would be another. */
  readonly key: object;
  /** What the document is written from, or the document itself. */
  readonly source: DocumentSource | Uint8Array;
}

export function addressOf(name: string, hash: string): string {
  return `/openapi/v3/${name}?hash=${hash}`;
}

function hashed(body: Uint8Array): HashedDocument {
  return { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

function sourcesOf(groups: readonly CatalogGroup[]): ReadonlyMap<string, KeyedSource> {
  const sources = new Map<string, KeyedSource>();
  for (const [name, item] of rootPaths(groups)) {
    sources.set(name, { key: item, source: { items: () => [item], schemas: builtinSchemas } });
  }
  for (const version of groups.flatMap(({ versions }) => versions)) {
    const source = sourceOf(version);
    const root = version.group === '' ? 'api' : 'apis';
    if (source !== undefined) sources.set(`${root}/${formatGroupVersion(version)}`, { key: version, source });
  }
  return new Map([...sources].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of a version that another server serves there is what that server wrote, or nothing. */
function sourceOf(version: CatalogVersion): DocumentSource | Uint8Array | undefined {
  if (version.remote !== undefined) return version.remote.openApiV3;
  return { items: () => resourcePaths(version), schemas: schemasOf(version), version };
}
