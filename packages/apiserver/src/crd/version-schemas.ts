import { createHash } from 'node:crypto';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { stringifyJson } from '@pintle/machinery/json';
import type { CompiledSchema } from '@pintle/machinery/schema';
import { compileSchema, parseSchema } from '@pintle/machinery/schema';

interface VersionSchema {
  readonly compiled: CompiledSchema;
  /** Names the schema: equal schemas have equal tags. */
  readonly tag: string;
}

/** The schemas of a definition's versions, each made ready when it is first needed. */
export class VersionSchemas {
  readonly #sources: ReadonlyMap<string, JsonObject>;
  readonly #made = new Map<string, VersionSchema>();

  constructor({ spec }: CustomResourceDefinition) {
    this.#sources = new Map(
      spec.versions.map(({ name, schema }) => [name, (schema?.openAPIV3Schema ?? {}) as unknown as JsonObject]),
    );
  }

  has(version: string): boolean {
    return this.#sources.has(version);
  }

  compiled(version: string): CompiledSchema {
    return this.#make(version).compiled;
  }

  tag(version: string): string {
    return this.#make(version).tag;
  }

  #make(version: string): VersionSchema {
    const known = this.#made.get(version);
    if (known !== undefined) return known;
    const source = this.#sources.get(version) ?? {};
    const tag = tagOf(source);
    const same = [...this.#made.values()].find((other) => other.tag === tag);
    const made = same ?? { tag, compiled: compileSchema(parseSchema(source)) };
    this.#made.set(version, made);
    return made;
  }
}

function tagOf(schema: JsonValue): string {
  return createHash('sha256').update(stringifyJson(schema)).digest('hex').slice(0, 16);
}
