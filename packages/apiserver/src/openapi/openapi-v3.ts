import { createHash } from 'node:crypto';
import { yieldToEventLoop } from '@pintle/async';
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
  /** SHA-512 of the body, in upper case. */
  readonly hash: string;
}

/** Limit of the cache, of which all built-in versions take a fifth. Beyond it, the least recently used document is evicted. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** OpenAPI 3 documents of a catalog, one for each group version, created on request. */
export class OpenApiV3 {
  readonly #catalog: DiscoveryCatalog;
  readonly #sources = new WeakMap<readonly CatalogGroup[], ReadonlyMap<string, KeyedSource>>();
  readonly #hashes = new WeakMap<object, string>();
  /** Documents by source, least recently used first. */
  readonly #kept = new Map<object, KeptDocument>();
  #keptBytes = 0;
  readonly #messages = new WeakMap<HashedDocument, Promise<Uint8Array>>();
  readonly #indexes = new WeakMap<readonly CatalogGroup[], Promise<HashedDocument>>();

  constructor(catalog: DiscoveryCatalog) {
    this.#catalog = catalog;
  }

  /** Returns the index: the URL and hash of each document. Creates every document once for its hash. */
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

  /** Returns a document by its name in the index, as `apis/apps/v1`; `undefined` for unknown names. */
  async document(name: string): Promise<HashedDocument | undefined> {
    const found = this.#currentSources().get(name);
    return found && (await this.#documentOf(found));
  }

  /** Returns the document as protobuf, cached as long as the document exists. */
  protobufOf(document: HashedDocument): Promise<Uint8Array> {
    const known = this.#messages.get(document) ?? messageOf(document);
    this.#messages.set(document, known);
    known.catch(() => this.#messages.delete(document));
    return known;
  }

  async #makeIndex(): Promise<HashedDocument> {
    const paths: Record<string, object> = {};
    for (const [name, found] of this.#currentSources()) {
      const hash = this.#hashes.get(found.key) ?? (await this.#documentOf(found)).hash;
      paths[name] = { serverRelativeURL: addressOf(name, hash) };
    }
    return hashed(Buffer.from(JSON.stringify({ paths })));
  }

  /** Returns the cached document, or creates it once for concurrent calls. */
  #documentOf(found: KeyedSource): Promise<HashedDocument> {
    const { key } = found;
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = { document: this.#make(found), bytes: 0 };
      kept.document.catch(() => this.#kept.delete(key));
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.document;
  }

  async #make({ key, source }: KeyedSource): Promise<HashedDocument> {
    const body = source instanceof Uint8Array ? source : await v3Document(source);
    await yieldToEventLoop();
    const document = hashed(body);
    this.#hashes.set(key, document.hash);
    this.#keep(key, body.length);
    return document;
  }

  #keep(key: object, bytes: number): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    kept.bytes = bytes;
    this.#keptBytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= freed;
    }
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

interface KeptDocument {
  readonly document: Promise<HashedDocument>;
  /** 0 until it is created. */
  bytes: number;
}

interface KeyedSource {
  /** Changes with the document. */
  readonly key: object;
  /** Source of the document, or the document itself. */
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

/** Returns the source of a version: for one of another server, its document, if any. */
function sourceOf(version: CatalogVersion): DocumentSource | Uint8Array | undefined {
  if (version.remote !== undefined) return version.remote.openApiV3;
  return { items: () => resourcePaths(version), schemas: schemasOf(version), version };
}
