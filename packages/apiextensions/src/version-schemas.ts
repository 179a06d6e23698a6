import { createHash } from 'node:crypto';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { asJson, type JsonObject, type JsonValue, stringifyJson } from '@pintle/machinery/json';
import type { CompiledSchema } from '@pintle/machinery/schema';
import { compileSchema, parseSchema } from '@pintle/machinery/schema';

/** The schemas of a definition's versions, compiled on first use. */
export class VersionSchemas {
  readonly #sources: ReadonlyMap<string, JsonObject>;
  readonly #tags = new Map<string, string>();
  readonly #compiled = new Map<string, CompiledSchema>();
  readonly #embedding = new Map<string, boolean>();

  constructor({ spec }: CustomResourceDefinition) {
    this.#sources = new Map(spec.versions.map(({ name, schema }) => [name, asJson(schema?.openAPIV3Schema ?? {})]));
  }

  has(version: string): boolean {
    return this.#sources.has(version);
  }

  /** Versions with equal schemas share one. */
  compiled(version: string): CompiledSchema {
    const tag = this.tag(version);
    const known = this.#compiled.get(tag);
    if (known !== undefined) return known;
    const made = compileSchema(parseSchema(this.#sources.get(version) ?? {}));
    this.#compiled.set(tag, made);
    return made;
  }

  /** True when the schema may have embedded objects. */
  mayEmbedObjects(version: string): boolean {
    const known = this.#embedding.get(version);
    if (known !== undefined) return known;
    const found = stringifyJson(this.#sources.get(version) ?? {}).includes('x-kubernetes-embedded-resource');
    this.#embedding.set(version, found);
    return found;
  }

  /** Returns a name of the schema: equal schemas have equal tags. */
  tag(version: string): string {
    const known = this.#tags.get(version);
    if (known !== undefined) return known;
    const tag = tagOf(this.#sources.get(version) ?? {});
    this.#tags.set(version, tag);
    return tag;
  }
}

function tagOf(schema: JsonValue): string {
  return createHash('sha256').update(stringifyJson(schema)).digest('hex').slice(0, 16);
}
