import type { Value } from '@pintle/cel';
import { CelError, CelObject, ListValue, valueToJson } from '@pintle/cel';
import type { MutatingAdmissionPolicySpec, Mutation } from '@pintle/kinds/admissionregistration/v1';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, requestLimits } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import type { ConditionOutcome } from '../matching/match-conditions.ts';
import type { Expression } from './compiled-policy.ts';
import { CompiledPolicy, OutOfBudget } from './compiled-policy.ts';

/** Result of one mutation expression. */
export type MutationResult =
  | { readonly configuration: JsonObject }
  | { readonly patch: JsonValue[] }
  | { readonly error: string };

/** The compiled rules of a mutating policy. */
export class MutatingRules {
  readonly allowsReinvocation: boolean;
  readonly #compiled: CompiledPolicy;
  readonly #mutations: Expression[] = [];

  private constructor(compiled: CompiledPolicy, allowsReinvocation: boolean) {
    this.#compiled = compiled;
    this.allowsReinvocation = allowsReinvocation;
  }

  static *compile(spec: MutatingAdmissionPolicySpec = {}): Steps<MutatingRules> {
    const compiled = yield* CompiledPolicy.compile(spec);
    const rules = new MutatingRules(compiled, spec.reinvocationPolicy === 'IfNeeded');
    for (const mutation of spec.mutations ?? []) {
      rules.#mutations.push(compiled.compile(expressionOf(mutation), { hasAuthorizer: true, canMutate: true }));
      yield;
    }
    return rules;
  }

  get count(): number {
    return this.#mutations.length;
  }

  evaluateConditions(inputs: Readonly<Record<string, Value>>): Steps<ConditionOutcome> {
    return this.#compiled.evaluateConditions(inputs);
  }

  /** Evaluates one mutation, on the object as the mutations before it left it. Each has its own budget. */
  *evaluate(index: number, inputs: Readonly<Record<string, Value>>): Steps<MutationResult> {
    try {
      const outcome = yield* this.#compiled.run(inputs).evaluate(this.#mutations[index]!);
      yield;
      return 'error' in outcome ? outcome : resultOf(outcome.value);
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return { error: error.message };
    }
  }
}

function expressionOf({ patchType, applyConfiguration, jsonPatch }: Mutation): string {
  return (patchType === 'JSONPatch' ? jsonPatch : applyConfiguration)?.expression ?? '';
}

function resultOf(value: Value): MutationResult {
  const problem = misplacedIn(value);
  if (problem !== undefined) return { error: `type mismatch: ${problem.message}` };
  if (value instanceof ListValue) return patchOf(value);
  const json = valueToJson(value);
  return json instanceof CelError ? { error: json.message } : { configuration: json as JsonObject };
}

function patchOf(operations: ListValue): MutationResult {
  const patch: JsonValue[] = [];
  const room = { bytes: requestLimits.maxBytes };
  for (const operation of operations.items()) {
    const made = operation instanceof CelObject ? operation.get('value') : undefined;
    const isPatch = made instanceof CelObject && made.typeName === 'JSONPatch';
    const why = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON';
    if (isPatch) return { error: `${why}: cannot convert to native type: *structpb.Value` };
    const json = valueToJson(operation, room);
    if (json instanceof CelError) return { error: `${why}: ${json.message}` };
    patch.push(withPath(json));
  }
  return { patch };
}

/** Fills in the missing fields of an operation: a missing path is the root, a missing `op` is empty. */
function withPath(operation: JsonValue): JsonValue {
  return isJsonObject(operation) ? { op: '', path: '', ...operation } : operation;
}

/**
 * Returns an error when the type of the value does not fit its place: a configuration has the root type, a patch value
 * the type of its path.
 */
function misplacedIn(value: Value): CelError | undefined {
  if (value instanceof CelObject) return value.checkFieldTypes();
  for (const operation of value instanceof ListValue ? value.items() : []) {
    const made = operation instanceof CelObject ? operation.get('value') : undefined;
    const problem = made instanceof CelObject ? made.checkFieldTypes(made.typeName) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
