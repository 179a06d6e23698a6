import { createHash } from 'node:crypto';
import { yieldToEventLoop } from '@pintle/async';
import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { CatalogGroup, CatalogVersion, DiscoveryCatalog } from '../discovery/catalog.ts';
import type { RemoteV2, SchemaSource } from '../discovery/documents.ts';
import { KNOWN_VERSIONS } from './known-versions.ts';
import type { PathItem } from './model.ts';
import type { HashedDocument } from './openapi-v3.ts';
import { renamed } from './remote-v2.ts';
import { resourcePaths } from './resource-paths.ts';
import { rootPaths } from './root-paths.ts';
import { builtinSchemas, schemasOf } from './schema-source.ts';
import { typesOf } from './type-closure.ts';
import type { V2Format } from './v2-format.ts';
import { FORMATS } from './v2-format.ts';
import { V2Operations } from './v2-operations.ts';
import { toV2Schema } from './v2-schema.ts';
import { withKindsEverywhere } from './v3-document.ts';

/** Encoded part of the document for one version. */
interface Fragment {
  readonly paths: Uint8Array;
  readonly definitions: ReadonlyMap<string, Uint8Array>;
  readonly parameters: ReadonlyMap<string, Uint8Array>;
}

/**
 * OpenAPI 2 document of a catalog, as JSON and protobuf. Kept as one fragment for each version: a changed definition encodes
 * only its own fragment again. Yields between fragments.
 */
export class OpenApiV2 {
  readonly #catalog: DiscoveryCatalog;
  readonly #fragments = { json: new WeakMap<object, Fragment>(), protobuf: new WeakMap<object, Fragment>() };
  /** Encoded types, which many versions share. */
  readonly #types = { json: new WeakMap<SchemaSource, TypeTexts>(), protobuf: new WeakMap<SchemaSource, TypeTexts>() };
  /** Documents by state of the catalog: collected once the state has changed and no response holds the document. */
  readonly #documents = {
    json: new WeakMap<readonly CatalogGroup[], Promise<HashedDocument>>(),
    protobuf: new WeakMap<readonly CatalogGroup[], Promise<HashedDocument>>(),
  };

  constructor(catalog: DiscoveryCatalog) {
    this.#catalog = catalog;
  }

  /**
   * Returns the document, encoded once for each state of the catalog; concurrent and later calls get the same bytes. The hash is
   * that of the JSON form in either case, so that a client can change the form and keep its ETag.
   */
  document(format: V2Format): Promise<HashedDocument> {
    const { groups } = this.#catalog;
    const documents = this.#documents[format];
    let document = documents.get(groups);
    if (document === undefined) {
      document = this.#makeHashed(format, groups);
      documents.set(groups, document);
      document.catch(() => documents.delete(groups));
    }
    return document;
  }

  async #makeHashed(format: V2Format, groups: readonly CatalogGroup[]): Promise<HashedDocument> {
    const body = await this.#make(format, groups);
    if (format === 'json') return { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
    const json = this.#documents.json.get(groups) ?? this.#makeHashed('json', groups);
    this.#documents.json.set(groups, json);
    const { hash } = await json;
    return { body, hash };
  }

  async #make(format: V2Format, groups: readonly CatalogGroup[]): Promise<Uint8Array> {
    const fragments = [await this.#rootFragment(format, groups)];
    const versions = groups.flatMap((group) => group.versions).filter(({ remote }) => remote === undefined);
    for (const version of versions) {
      fragments.push(this.#fragments[format].get(version) ?? (await this.#makeFragment(format, version)));
    }
    const remotes = groups.flatMap((group) => group.versions).flatMap(({ remote }) => remote?.openApiV2 ?? []);
    for (const remote of remotes) {
      await yieldToEventLoop();
      const fragment = remoteFragment(format, remote, fragments);
      if (fragment !== undefined) fragments.push(fragment);
    }
    const definitions = new Map(fragments.flatMap((fragment) => [...fragment.definitions]));
    for (const [name, schema] of kindsEverywhere()) {
      definitions.set(name, FORMATS[format].entry('Schema', name, toV2Schema(schema)));
    }
    return FORMATS[format].document({
      paths: fragments.map(({ paths }) => paths),
      definitions: sortedValues(definitions),
      parameters: sortedValues(new Map(fragments.flatMap((fragment) => [...fragment.parameters]))),
    });
  }

  async #makeFragment(format: V2Format, version: CatalogVersion): Promise<Fragment> {
    await yieldToEventLoop();
    const items = resourcePaths(version);
    const schemas = schemasOf(version);
    await yieldToEventLoop();
    const fragment = await fragmentOf(format, items, schemas, this.#typesOf(format, schemas));
    this.#fragments[format].set(version, fragment);
    return fragment;
  }

  async #rootFragment(format: V2Format, groups: readonly CatalogGroup[]): Promise<Fragment> {
    const known = this.#fragments[format].get(groups);
    if (known !== undefined) return known;
    const items = [...rootPaths(groups).values()];
    const fragment = await fragmentOf(format, items, builtinSchemas, this.#typesOf(format, builtinSchemas));
    this.#fragments[format].set(groups, fragment);
    return fragment;
  }

  #typesOf(format: V2Format, schemas: SchemaSource): TypeTexts {
    const texts = this.#types[format].get(schemas) ?? new Map<string, Uint8Array>();
    this.#types[format].set(schemas, texts);
    return texts;
  }
}

type TypeTexts = Map<string, Uint8Array>;

/** Encodes the part of another server under unused names; `undefined` when it cannot be encoded. */
function remoteFragment(format: V2Format, remote: RemoteV2, others: readonly Fragment[]): Fragment | undefined {
  const { entry, join } = FORMATS[format];
  const isTaken = (section: 'definitions' | 'parameters', name: string): boolean =>
    others.some((other) => other[section].has(name));
  const own = renamed(remote, (section, name) => {
    let free = name;
    for (let version = 2; isTaken(section, free); version++) free = `${name}_v${version}`;
    return free;
  });
  try {
    return {
      paths: join([...own.paths].map(([path, item]) => entry('PathItem', path, item))),
      definitions: mapEntries(own.definitions, (name, schema) => entry('Schema', name, schema)),
      parameters: mapEntries(own.parameters, (name, value) => entry('Parameter', name, value)),
    };
  } catch {
    return undefined;
  }
}

async function fragmentOf(
  format: V2Format,
  items: readonly PathItem[],
  schemas: SchemaSource,
  texts: TypeTexts,
): Promise<Fragment> {
  const { entry, join } = FORMATS[format];
  const operations = new V2Operations();
  const paths: Uint8Array[] = [];
  for (const [index, item] of items.entries()) {
    if (index % PATHS_AT_ONCE === PATHS_AT_ONCE - 1) await yieldToEventLoop();
    paths.push(entry('PathItem', item.path, operations.path(item)));
  }
  await yieldToEventLoop();
  const types = typesOf(items, schemas);
  await yieldToEventLoop();
  for (const [name, schema] of types) if (!texts.has(name)) texts.set(name, entry('Schema', name, toV2Schema(schema)));
  return {
    paths: join(paths),
    definitions: mapEntries(types, (name) => texts.get(name)!),
    parameters: mapEntries(operations.sharedParameters, (name, value) => entry('Parameter', name, value)),
  };
}

const PATHS_AT_ONCE = 32;

function mapEntries<T>(
  entries: ReadonlyMap<string, T>,
  write: (key: string, value: T) => Uint8Array,
): ReadonlyMap<string, Uint8Array> {
  return new Map([...entries].map(([key, value]) => [key, write(key, value)]));
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Returns types that are kinds of every version, with all versions that Kubernetes knows, without those of definitions. */
function kindsEverywhere(): [string, OpenApiSchema][] {
  return [`${META}.DeleteOptions`, `${META}.WatchEvent`].flatMap((name) => {
    const schema = builtinSchemas.schemaOf(name);
    return schema === undefined ? [] : [[name, withKindsEverywhere(name, schema, KNOWN_VERSIONS)]];
  });
}

function sortedValues(entries: ReadonlyMap<string, Uint8Array>): Uint8Array[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes);
}
