import type { FieldError } from '../errors/index.ts';
import type { JsonValue } from '../json/index.ts';
import { type Coercion, coerceMetadata } from './coerce.ts';
import { applyDefaults, type DropNullsOptions, dropNulls } from './default.ts';
import { type PruneOptions, prune } from './prune.ts';
import type { Schema } from './schema.ts';
import { type SchemaNode, schemaNodeOf } from './schema-node.ts';
import { type ValidateOptions, validate } from './validate/validate.ts';

/** A compiled schema. Methods other than `validate` change the value in place. */
export interface CompiledSchema {
  readonly schema: Schema;
  /** The tree of the schema, for code that walks values. */
  readonly node: SchemaNode;
  /**
   * Returns all errors in a value, in Kubernetes' words: types, bounds, formats, combinators, unique list keys and
   * embedded objects. CEL rules are not checked here.
   */
  validate(value: JsonValue, options?: ValidateOptions): FieldError[];
  /** Drops fields that the schema does not specify. See `prune`. */
  prune(value: JsonValue, options?: PruneOptions): { readonly unknown: string[] };
  /** Fills in defaults. Returns the bytes added; throws `DefaultsLimitError` beyond the limit. See `applyDefaults`. */
  default(value: JsonValue): number;
  /** Removes nulls that count as absent. See `dropNulls`. */
  dropNulls(value: JsonValue, options?: DropNullsOptions): void;
  /** Reads the metadata of the object and of objects embedded in it. See `coerceMetadata`. */
  coerce(value: JsonValue, options?: { readonly isResourceRoot?: boolean }): Coercion;
}

/** Compiles a schema once: the same schema returns the same result. The caller must not change it afterwards. */
export function compileSchema(schema: Schema): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const node = schemaNodeOf(schema);
  const made: CompiledSchema = {
    schema,
    node,
    validate: (value, options = {}) => validate(value, node, options),
    prune: (value, options) => prune(value, node, options),
    default: (value) => applyDefaults(value, node),
    dropNulls: (value, options) => dropNulls(value, node, options),
    coerce: (value, options) => coerceMetadata(value, node, options?.isResourceRoot === true),
  };
  compiled.set(schema, made);
  return made;
}

const compiled = new WeakMap<Schema, CompiledSchema>();
