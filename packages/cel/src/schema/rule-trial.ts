import type { JsonValue } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { Environment } from '../check/environment.ts';
import { kubernetesLibraries } from '../functions/libraries.ts';
import { compileExpression, type Evaluation } from '../program.ts';
import { DYN, formatType } from '../types/type.ts';
import { dynamicValue } from '../values/dynamic-value.ts';
import { adapterOf } from './adapt.ts';
import { maxCostOf, ruleEnvironmentOf } from './compile-rules.ts';
import { schemaTypeOf } from './schema-type.ts';

export interface RuleTrialOptions {
  /** The schema that the rule stands at. Without one, `self` and `oldSelf` have no type that is checked. */
  readonly schema?: Schema | undefined;
  /** True at the root of a kind, where `self` has apiVersion, kind and metadata. */
  readonly isResourceRoot?: boolean;
}

/** An expression that compiles as a rule of a schema would. */
export interface RuleTrial {
  /** Type of the result. A rule has a `bool`. */
  readonly type: string;
  /** Maximum cost for the largest value that the schema allows; absent without a schema. */
  readonly maxCost: number | undefined;
  readonly usesOldSelf: boolean;
  evaluate(self: JsonValue, oldSelf?: JsonValue): Evaluation;
}

/** Compiles an expression to be tried on single values. Returns a text with positions where it does not compile. */
export function tryRule(source: string, { schema, isResourceRoot = false }: RuleTrialOptions = {}): RuleTrial | string {
  const type = schema && schemaTypeOf(schema, isResourceRoot);
  const compiled = compileExpression(source, type === undefined ? dynamicEnvironment : ruleEnvironmentOf(type));
  if (!('program' in compiled)) return compiled.error;
  const { program } = compiled;
  const adapt = schema === undefined || type === undefined ? dynamicValue : adapterOf(schema, isResourceRoot);
  return {
    type: formatType(program.type),
    maxCost: type && maxCostOf(program, type),
    usesOldSelf: program.uses('oldSelf'),
    evaluate: (self, oldSelf) =>
      program.evaluate({ self: adapt(self), ...(oldSelf !== undefined && { oldSelf: adapt(oldSelf) }) }),
  };
}

const dynamicEnvironment = new Environment({
  variables: { self: DYN, oldSelf: DYN },
  libraries: kubernetesLibraries,
});
