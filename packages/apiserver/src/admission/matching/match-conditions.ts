import type { Program, Value } from '@pintle/cel';
import {
  authorizerValue,
  CelError,
  compileExpression,
  dynamicValue,
  perCallLimit,
  policyEnvironment,
  requestResourceValue,
} from '@pintle/cel';
import { asJson } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { AuthorizerChecks } from './authorizer-checks.ts';
import type { RequestView } from './request-view.ts';
import { describeRequest } from './request-view.ts';
import { nameOf, namespaceOf, resourceOf } from './subject-names.ts';

/** CEL cost that all conditions of one webhook may use together. */
const BUDGET = 2_500_000;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Outcome of match conditions. A false condition outweighs those that failed. */
export type ConditionOutcome = { readonly isMatch: boolean } | { readonly error: string };

/** CEL conditions that choose among the requests that rules and selectors let through. */
export class MatchConditions {
  readonly #conditions: readonly (Program | { readonly error: string })[];

  constructor(conditions: readonly { readonly expression: string }[]) {
    const environment = policyEnvironment({ hasAuthorizer: true, hasNamespace: true });
    this.#conditions = conditions.map(({ expression }) => {
      const compiled = compileExpression(expression, environment);
      return 'program' in compiled ? compiled.program : { error: `compilation error: ${compiled.error}` };
    });
  }

  async evaluate(request: AdmissionRequest, view: RequestView): Promise<ConditionOutcome> {
    const checks = new AuthorizerChecks(request.context);
    const variables = variablesOf(request, view, checks);
    return await checks.evaluate(() => this.#evaluate(variables));
  }

  *#evaluate(variables: Readonly<Record<string, Value>>): Steps<ConditionOutcome> {
    const errors = new Set<string>();
    let budget = BUDGET;
    for (const condition of this.#conditions) {
      if ('error' in condition) {
        errors.add(condition.error);
        continue;
      }
      const { value, cost } = condition.evaluate(variables, Math.min(perCallLimit, budget));
      budget -= cost;
      if (budget < 0) return { error: OUT_OF_BUDGET };
      if (value === false) return { isMatch: false };
      yield;
      if (value instanceof CelError) errors.add(`expression '${condition.source}' resulted in error: ${value.message}`);
    }
    return errors.size === 0 ? { isMatch: true } : { error: aggregate([...errors]) };
  }
}

function variablesOf(
  request: AdmissionRequest,
  view: RequestView,
  checks: AuthorizerChecks,
): Readonly<Record<string, Value>> {
  const own = { ...view, resource: resourceOf(request) };
  const { group, resource } = own.resource;
  const { subresource } = request.context.info;
  const target = { group, resource, subresource, namespace: namespaceOf(request), name: nameOf(request) };
  return {
    object: dynamicValue(asJson(view.object ?? null)),
    oldObject: dynamicValue(asJson(view.oldObject ?? null)),
    request: dynamicValue(describeRequest(request, own)),
    // The checker knows the variable, but only policies get a value.
    namespaceObject: null,
    authorizer: authorizerValue(checks.ask),
    'authorizer.requestResource': requestResourceValue(checks.ask, target),
  };
}

function aggregate(errors: readonly string[]): string {
  return errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`;
}
