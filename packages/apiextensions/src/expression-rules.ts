import type { RuleEvaluator } from '@pintle/cel';
import { ruleEvaluatorOf } from '@pintle/cel';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError, FieldErrorReason } from '@pintle/machinery/errors';
import { invalid } from '@pintle/machinery/errors';
import { asJson } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import type { Schema } from '@pintle/machinery/schema';

/** Errors after which CEL rules would not make sense. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set<FieldErrorReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** The CEL rules of a custom resource, compiled with the first object they apply to. */
export class ExpressionRules {
  readonly #schema: Schema;
  readonly #warnings = new WeakMap<KubernetesObject, readonly string[]>();
  #evaluator: { readonly made: RuleEvaluator | undefined } | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Returns the schema's errors and those of the rules, if they can be evaluated. */
  *check(
    object: KubernetesObject,
    previous: KubernetesObject | undefined,
    errors: readonly FieldError[],
  ): Steps<readonly FieldError[]> {
    this.#evaluator ??= { made: ruleEvaluatorOf(this.#schema) };
    const { made } = this.#evaluator;
    if (made === undefined) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, invalid('<nil>', null, UNCHECKED)];
    // The schema check may have taken long already.
    yield;
    const outcome = yield* made.evaluateInSteps(asJson(object), previous && asJson(previous));
    this.#warnings.set(object, outcome.warnings);
    return [...errors, ...outcome.errors];
  }

  /** Returns the errors that the object had before. */
  toleratedIn(object: KubernetesObject): readonly string[] {
    return this.#warnings.get(object) ?? [];
  }
}
