import type { FieldError } from '../errors/index.ts';
import type { JsonValue } from '../json/index.ts';
import { type Coercion, coerceMetadata } from './coerce.ts';
import { applyDefaults, dropNulls } from './default.ts';
import { nodeOf, type SchemaNode } from './node.ts';
import { type PruneOptions, prune } from './prune.ts';
import type { Schema } from './schema.ts';
import { type ValidateOptions, validate } from './validate/validate.ts';

/** A schema made ready for use. Values are changed in place where that is what a method is for. */
export interface CompiledSchema {
  readonly schema: Schema;
  /** For walkers that merge values or follow them for other reasons. */
  readonly node: SchemaNode;
  /**
   * Everything that is wrong with a value, in Kubernetes' words: types, bounds, formats, junctors, the uniqueness of list
   * keys and the objects embedded in it. CEL rules are not among it.
   */
  validate(value: JsonValue, options?: ValidateOptions): FieldError[];
  /** Drops what the schema does not specify. See `prune`. */
  prune(value: JsonValue, options?: PruneOptions): { readonly unknown: string[] };
  /** Fills in defaults. Returns the bytes added; throws `DefaultsLimitError` beyond the limit. See `applyDefaults`. */
  default(value: JsonValue): number;
  /** Takes away nulls that count as absent. See `dropNulls`. */
  dropNulls(value: JsonValue): void;
  /** Reads the metadata of the object and of objects embedded in it. See `coerceMetadata`. */
  coerce(value: JsonValue, options?: { readonly isResourceRoot?: boolean }): Coercion;
}

/** Compiles a schema once: the same schema gives the same result. Schemas must not change after that. */
export function compileSchema(schema: Schema): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const node = nodeOf(schema);
  const made: CompiledSchema = {
    schema,
    node,
    validate: (value, options = {}) => validate(value, node, options),
    prune: (value, options) => prune(value, node, options),
    default: (value) => applyDefaults(value, node),
    dropNulls: (value) => dropNulls(value, node),
    coerce: (value, options) => coerceMetadata(value, node, options?.isResourceRoot === true),
  };
  compiled.set(schema, made);
  return made;
}

const compiled = new WeakMap<Schema, CompiledSchema>();
