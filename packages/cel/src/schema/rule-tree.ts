import type { Schema } from '@pintle/machinery/schema';
import { compileRules, type LazyRule } from './compile-rules.ts';
import { schemaTypeOf } from './schema-type.ts';

/** A schema with rules in or below it. */
export interface RuleNode {
  readonly schema: Schema;
  readonly isResourceRoot: boolean;
  readonly rules: () => readonly LazyRule[];
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly allOf: readonly RuleNode[];
}

/**
 * Returns the node of a schema; `undefined` when it has no rules. `rules` is the schema with the rules: `schema`
 * itself, or one of its `allOf`. Cached.
 */
export function ruleNodeOf(rules: Schema, schema: Schema, isResourceRoot: boolean): RuleNode | undefined {
  if (rules !== schema) return makeNode(rules, schema, isResourceRoot);
  const known = isResourceRoot ? rootNodes : nodes;
  if (known.has(schema)) return known.get(schema);
  const node = makeNode(rules, schema, isResourceRoot);
  known.set(schema, node);
  return node;
}

const nodes = new WeakMap<Schema, RuleNode | undefined>();
const rootNodes = new WeakMap<Schema, RuleNode | undefined>();

function makeNode(rules: Schema, schema: Schema, isResourceRoot: boolean): RuleNode | undefined {
  const items = pair(rules.items, schema.items);
  const values = pair(objectOf(rules.additionalProperties), objectOf(schema.additionalProperties));
  const properties = new Map<string, RuleNode>();
  for (const [name, inner] of Object.entries(rules.properties ?? {})) {
    const own =
      schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const node = pair(inner, own);
    if (node !== undefined) properties.set(name, node);
  }
  const allOf = (rules.allOf ?? []).flatMap((inner) => ruleNodeOf(inner, schema, isResourceRoot) ?? []);
  const hasRules = (rules.validations ?? []).length > 0;
  if (!hasRules && items === undefined && values === undefined && properties.size === 0 && allOf.length === 0) {
    return undefined;
  }
  return { schema, isResourceRoot, rules: lazily(rules, schema, isResourceRoot), items, values, properties, allOf };
}

function pair(rules: Schema | undefined, schema: Schema | undefined): RuleNode | undefined {
  if (rules === undefined || schema === undefined) return undefined;
  return ruleNodeOf(rules, schema, schema.embeddedResource === true);
}

function objectOf(additional: Schema | boolean | undefined): Schema | undefined {
  return typeof additional === 'object' ? additional : undefined;
}

function lazily({ validations = [] }: Schema, schema: Schema, isResourceRoot: boolean): () => readonly LazyRule[] {
  let made: readonly LazyRule[] | undefined;
  return () => {
    if (made !== undefined) return made;
    const type = validations.length === 0 ? undefined : schemaTypeOf(schema, isResourceRoot);
    made = type === undefined ? [] : compileRules(validations, schema, type);
    return made;
  };
}
