import type { KeptObject, ReadOptions, Shape } from '@pintle/apiserver/resource';
import type { Clock } from '@pintle/async';
import { Turns } from '@pintle/async';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { unclassifiedError } from '@pintle/machinery/errors';
import { asJson, deepCopy, deepEqual, type JsonValue } from '@pintle/machinery/json';
import { type CompiledSchema, DefaultsLimitError } from '@pintle/machinery/schema';
import type { Converter } from './converter.ts';
import { RememberedObjects } from './remembered-objects.ts';
import type { VersionSchemas } from './version-schemas.ts';

/** Tag of an object that was converted and has no defaults yet: its schema would still change it. */
const UNSETTLED = '';

export interface ObjectShapeParts {
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
export class ObjectShape implements Shape {
  readonly storedAs: string;
  readonly #group: string;
  readonly #version: string;
  readonly #storage: string;
  readonly #schemas: VersionSchemas;
  readonly #converter: Converter;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Only set when a webhook converts. */
  readonly #remembered: RememberedObjects | undefined;

  constructor(definition: CustomResourceDefinition, version: string, { schemas, converter, clock }: ObjectShapeParts) {
    const { group, versions } = definition.spec;
    this.#group = group;
    this.#version = version;
    this.#storage = versions.find((item) => item.storage)?.name ?? version;
    this.storedAs = `${group}/${this.#storage}`;
    this.#schemas = schemas;
    this.#converter = converter;
    this.#clock = clock;
    this.#remembered = this.#isConvertedElsewhere ? new RememberedObjects() : undefined;
  }

  get mayFail(): boolean {
    const isConverted = this.#version !== this.#storage;
    return this.#isConvertedElsewhere || (isConverted && this.#schemas.mayEmbedObjects(this.#version));
  }

  get #isConvertedElsewhere(): boolean {
    return !this.#converter.onlyRenames && this.#version !== this.#storage;
  }

  isShownAsKept(apiVersion: string, tag: string): boolean {
    const isSameVersion = apiVersion === this.#apiVersion;
    if (!isSameVersion && !this.#converter.onlyRenames) return false;
    return tag === this.#schemas.tag(this.#version) && this.#schemas.has(this.#versionOf(apiVersion));
  }

  async show(
    kept: readonly KeptObject[],
    { isFresh = false, isUnwritten = false }: ReadOptions = {},
  ): Promise<KubernetesObject[]> {
    const remembered = this.#remembered;
    if (remembered === undefined || isUnwritten) return await this.#convert(kept);
    const known = kept.map(({ object }) => (isFresh ? undefined : remembered.find(object)));
    const shown = await this.#convert(kept.filter((_item, index) => known[index] === undefined));
    for (const object of shown) remembered.remember(object);
    let next = 0;
    return known.map((object) => object ?? shown[next++]!);
  }

  async #convert(kept: readonly KeptObject[]): Promise<KubernetesObject[]> {
    const turns = new Turns(this.#clock);
    for (const { object, tag } of kept) {
      this.#settle(object, tag);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const isOther = kept.map(({ object }) => object.apiVersion !== this.#apiVersion);
    const shown = await this.#converter.convertAll(
      kept.map(({ object }) => object),
      this.#apiVersion,
    );
    for (const [i, object] of shown.entries()) {
      if (object !== kept[i]!.object || this.#converter.onlyRenames) this.#prune(object, this.#version);
      if (isOther[i]) this.#readEmbedded(object);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    return shown;
  }

  async keep(object: KubernetesObject): Promise<KeptObject> {
    if (this.#version === this.#storage) return { object, tag: this.#schemas.tag(this.#storage) };
    const [kept] = await this.#converter.convertAll([deepCopy(object)], this.storedAs);
    this.#prune(kept!, this.#storage);
    return { object: kept!, tag: this.#isSettled(kept!) ? this.#schemas.tag(this.#storage) : UNSETTLED };
  }

  get #apiVersion(): string {
    return `${this.#group}/${this.#version}`;
  }

  #versionOf(apiVersion: string): string {
    return apiVersion.slice(this.#group.length + 1);
  }

  /** Prunes and defaults an object that was written before the definition changed, by the present schema. */
  #settle(object: KubernetesObject, tag: string): void {
    const version = this.#versionOf(object.apiVersion);
    if (!this.#schemas.has(version)) {
      throw unclassifiedError(500, `request to convert CR from an invalid group/version: ${object.apiVersion}`);
    }
    if (tag === this.#schemas.tag(version)) return;
    const schema = this.#schemas.compiled(version);
    const document = asJson(object);
    schema.coerce(document);
    this.#prune(object, version);
    defaultAsFarAsAllowed(schema, document);
  }

  /** Reads the metadata of objects embedded in a converted one; unknown fields are dropped. */
  #readEmbedded(object: KubernetesObject): void {
    const { problem } = this.#schemas.compiled(this.#version).coerce(asJson(object));
    if (problem !== undefined) throw unclassifiedError(500, problem);
  }

  #isSettled(object: KubernetesObject): boolean {
    const defaulted = deepCopy(object);
    defaultAsFarAsAllowed(this.#schemas.compiled(this.#storage), asJson(defaulted));
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
function defaultAsFarAsAllowed(schema: CompiledSchema, document: JsonValue): void {
  try {
    schema.default(document);
  } catch (error) {
    if (!(error instanceof DefaultsLimitError)) throw error;
  }
}
