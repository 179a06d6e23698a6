import type { ReadOptions, StorageCodec, StorageObject } from '@pintle/apiserver/resource';
import type { Clock } from '@pintle/async';
import { Turns } from '@pintle/async';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { unclassifiedError } from '@pintle/machinery/errors';
import { asJson, deepCopy, deepEqual, type JsonValue } from '@pintle/machinery/json';
import { type CompiledSchema, DefaultsLimitError } from '@pintle/machinery/schema';
import { ConversionCache } from './conversion-cache.ts';
import type { Converter } from './converter.ts';
import type { VersionSchemas } from './version-schemas.ts';

/** Tag of an object that was converted and has no defaults yet: its schema would still change it. */
const NOT_DEFAULTED = '';

export interface CustomObjectCodecOptions {
  readonly schemas: VersionSchemas;
  readonly converter: Converter;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * Converts objects of one version of a custom resource from and to storage, as Kubernetes does:
 *
 *     fromStorage   read metadata, prune and default by the stored version ──► convert ──► prune by this version
 *                   ──► read the metadata of embedded objects
 *     toStorage     convert ──► prune by the storage version
 *
 * Pruning also removes nulls that a version does not allow. Objects that were written in this version by its present
 * schema are served as they are.
 */
export class CustomObjectCodec implements StorageCodec {
  readonly storageVersion: string;
  readonly #group: string;
  readonly #version: string;
  readonly #storage: string;
  readonly #schemas: VersionSchemas;
  readonly #converter: Converter;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Only set when a webhook converts. */
  readonly #cache: ConversionCache | undefined;

  constructor(
    definition: CustomResourceDefinition,
    version: string,
    { schemas, converter, clock }: CustomObjectCodecOptions,
  ) {
    const { group, versions } = definition.spec;
    this.#group = group;
    this.#version = version;
    this.#storage = versions.find((item) => item.storage)?.name ?? version;
    this.storageVersion = `${group}/${this.#storage}`;
    this.#schemas = schemas;
    this.#converter = converter;
    this.#clock = clock;
    this.#cache = this.#isConvertedByWebhook ? new ConversionCache() : undefined;
  }

  get mayFail(): boolean {
    const isConverted = this.#version !== this.#storage;
    return this.#isConvertedByWebhook || (isConverted && this.#schemas.mayEmbedObjects(this.#version));
  }

  get #isConvertedByWebhook(): boolean {
    return !this.#converter.onlyRenames && this.#version !== this.#storage;
  }

  isServedAsStored(apiVersion: string, tag: string): boolean {
    const isSameVersion = apiVersion === this.#apiVersion;
    if (!isSameVersion && !this.#converter.onlyRenames) return false;
    return tag === this.#schemas.tag(this.#version) && this.#schemas.has(this.#versionOf(apiVersion));
  }

  async fromStorage(
    stored: readonly StorageObject[],
    { isFresh = false, isUnwritten = false }: ReadOptions = {},
  ): Promise<KubernetesObject[]> {
    const cache = this.#cache;
    if (cache === undefined || isUnwritten) return await this.#convert(stored);
    const known = stored.map(({ object }) => (isFresh ? undefined : cache.find(object)));
    const converted = await this.#convert(stored.filter((_item, index) => known[index] === undefined));
    for (const object of converted) cache.add(object);
    let next = 0;
    return known.map((object) => object ?? converted[next++]!);
  }

  async #convert(stored: readonly StorageObject[]): Promise<KubernetesObject[]> {
    const turns = new Turns(this.#clock);
    for (const { object, tag } of stored) {
      this.#normalize(object, tag);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const isOther = stored.map(({ object }) => object.apiVersion !== this.#apiVersion);
    const converted = await this.#converter.convertAll(
      stored.map(({ object }) => object),
      this.#apiVersion,
    );
    for (const [i, object] of converted.entries()) {
      if (object !== stored[i]!.object || this.#converter.onlyRenames) this.#prune(object, this.#version);
      if (isOther[i]) this.#readEmbedded(object);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    return converted;
  }

  async toStorage(object: KubernetesObject): Promise<StorageObject> {
    if (this.#version === this.#storage) return { object, tag: this.#schemas.tag(this.#storage) };
    const [stored] = await this.#converter.convertAll([deepCopy(object)], this.storageVersion);
    this.#prune(stored!, this.#storage);
    return { object: stored!, tag: this.#isDefaulted(stored!) ? this.#schemas.tag(this.#storage) : NOT_DEFAULTED };
  }

  get #apiVersion(): string {
    return `${this.#group}/${this.#version}`;
  }

  #versionOf(apiVersion: string): string {
    return apiVersion.slice(this.#group.length + 1);
  }

  /** Prunes and defaults an object that was written before the definition changed, by the present schema. */
  #normalize(object: KubernetesObject, tag: string): void {
    const version = this.#versionOf(object.apiVersion);
    if (!this.#schemas.has(version)) {
      throw unclassifiedError(500, `request to convert CR from an invalid group/version: ${object.apiVersion}`);
    }
    if (tag === this.#schemas.tag(version)) return;
    const schema = this.#schemas.compiled(version);
    const document = asJson(object);
    schema.coerce(document);
    this.#prune(object, version);
    defaultUpToLimit(schema, document);
  }

  /** Reads the metadata of objects embedded in a converted one; unknown fields are dropped. */
  #readEmbedded(object: KubernetesObject): void {
    const { problem } = this.#schemas.compiled(this.#version).coerce(asJson(object));
    if (problem !== undefined) throw unclassifiedError(500, problem);
  }

  #isDefaulted(object: KubernetesObject): boolean {
    const defaulted = deepCopy(object);
    defaultUpToLimit(this.#schemas.compiled(this.#storage), asJson(defaulted));
    return deepEqual(defaulted, object);
  }

  #prune(object: KubernetesObject, version: string): void {
    const schema = this.#schemas.compiled(version);
    const document = asJson(object);
    schema.prune(document, { isResourceRoot: true });
    schema.dropNulls(document);
  }
}

/**
 * Fills in defaults up to their limit: an object that could not be read could be neither listed nor deleted. Writing it
 * again is refused.
 */
function defaultUpToLimit(schema: CompiledSchema, document: JsonValue): void {
  try {
    schema.default(document);
  } catch (error) {
    if (!(error instanceof DefaultsLimitError)) throw error;
  }
}
