import type { Value } from '@pintle/cel';
import type { ValidatingAdmissionPolicySpec, Validation } from '@pintle/kinds/admissionregistration/v1';
import { byteLength } from '@pintle/machinery/names';
import type { Steps } from '@pintle/machinery/rules';
import type { Expression, PolicyRun } from './compiled-policy.ts';
import { CompiledPolicy, OutOfBudget } from './compiled-policy.ts';

const MAX_MESSAGE_BYTES = 5 * 1024;

/** A validation that failed or could not be evaluated. */
export interface Finding {
  readonly message: string;
  readonly reason: string;
  /** Index of the validation in the policy. */
  readonly index: number;
}

/** Outcome of a policy for a request. */
export interface ValidationResult {
  readonly findings: readonly Finding[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Audit annotations that could not be evaluated. They deny the request, whatever the binding's actions. */
  readonly brokenAnnotations: readonly string[];
}

const NOTHING: ValidationResult = { findings: [], annotations: [], brokenAnnotations: [] };

interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: Expression;
  readonly message: Expression | undefined;
}

/** The compiled rules of a validating policy. */
export class ValidatingRules {
  readonly #compiled: CompiledPolicy;
  readonly #validations: CompiledValidation[] = [];
  readonly #annotations: { readonly key: string; readonly expression: Expression }[] = [];
  readonly #ignoresFailures: boolean;

  private constructor(compiled: CompiledPolicy, ignoresFailures: boolean) {
    this.#compiled = compiled;
    this.#ignoresFailures = ignoresFailures;
  }

  static *compile(spec: ValidatingAdmissionPolicySpec = {}): Steps<ValidatingRules> {
    const compiled = yield* CompiledPolicy.compile(spec);
    const rules = new ValidatingRules(compiled, spec.failurePolicy === 'Ignore');
    for (const validation of spec.validations ?? []) {
      rules.#validations.push({
        validation,
        expression: compiled.compile(validation.expression, { hasAuthorizer: true }),
        message: validation.messageExpression ? compiled.compile(validation.messageExpression, {}) : undefined,
      });
      yield;
    }
    for (const { key, valueExpression } of spec.auditAnnotations ?? []) {
      rules.#annotations.push({ key, expression: compiled.compile(valueExpression, { hasAuthorizer: true }) });
      yield;
    }
    return rules;
  }

  *evaluate(inputs: Readonly<Record<string, Value>>): Steps<ValidationResult> {
    const matched = yield* this.#compiled.evaluateConditions(inputs);
    if ('error' in matched) return this.#failed(matched.error);
    if (!matched.isMatch) return NOTHING;
    try {
      const run = this.#compiled.run(inputs);
      const findings: Finding[] = [];
      for (const [index, each] of this.#validations.entries()) {
        findings.push(...(yield* this.#validate(run, each, index)));
        yield;
      }
      return { findings, ...(yield* this.#annotate(this.#compiled.run(inputs))) };
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      return this.#failed(error.message);
    }
  }

  #failed(message: string): ValidationResult {
    return this.#ignoresFailures ? NOTHING : { ...NOTHING, findings: [{ message, reason: 'Invalid', index: 0 }] };
  }

  *#validate(run: PolicyRun, each: CompiledValidation, index: number): Steps<Finding[]> {
    const outcome = yield* run.evaluate(each.expression);
    if ('error' in outcome) {
      return this.#ignoresFailures ? [] : [{ message: outcome.error, reason: 'Invalid', index }];
    }
    if (outcome.value === true) return [];
    return [{ message: yield* messageOf(run, each), reason: each.validation.reason ?? 'Invalid', index }];
  }

  *#annotate(run: PolicyRun): Steps<Pick<ValidationResult, 'annotations' | 'brokenAnnotations'>> {
    const annotations: { key: string; value: string }[] = [];
    const brokenAnnotations: string[] = [];
    for (const { key, expression } of this.#annotations) {
      const outcome = yield* run.evaluate(expression);
      if ('error' in outcome) {
        if (!this.#ignoresFailures) brokenAnnotations.push(outcome.error);
      } else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') {
        annotations.push({ key, value: outcome.value.trim() });
      }
      yield;
    }
    return { annotations, brokenAnnotations };
  }
}

/**
 * Returns the message of `messageExpression`; the fixed message when the expression fails, or gives an empty, long or
 * multi-line text.
 */
function* messageOf(run: PolicyRun, { validation, message }: CompiledValidation): Steps<string> {
  const outcome = message && (yield* run.evaluate(message));
  if (outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string') {
    const text = outcome.value.trim();
    if (text !== '' && !text.includes('\n') && byteLength(text) <= MAX_MESSAGE_BYTES) return text;
  }
  return validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
}
