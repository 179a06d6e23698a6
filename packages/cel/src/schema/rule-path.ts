import { FieldPath } from '@pintle/machinery/errors';
import { asJson } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { followFieldPath } from '@pintle/machinery/schema';

/** A step of a rule's `fieldPath`: the name of a property, or a key of a map. */
export interface RulePathStep {
  readonly name: string;
  readonly isKey: boolean;
}

/** Parses the `fieldPath` of a rule, relative to its schema. */
export function parseRulePath(path: string, schema: Schema): readonly RulePathStep[] {
  const target = followFieldPath(path, asJson(schema));
  if ('problem' in target) return [];
  let current: Schema | undefined = schema;
  return target.steps.map((name) => {
    const { properties, additionalProperties }: Schema = current ?? {};
    current = properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    return { name, isKey: properties === undefined };
  });
}

/** Returns the path of a rule's errors. */
export function followRulePath(place: FieldPath | undefined, steps: readonly RulePathStep[]): FieldPath | undefined {
  return steps.reduce<FieldPath | undefined>((path, { name, isKey }) => {
    if (path === undefined) return FieldPath.of(name);
    return isKey ? path.key(name) : path.child(name);
  }, place);
}
