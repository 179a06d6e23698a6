import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@pintle/kinds/admissionregistration/v1';
import { forbiddenError, StatusError } from '@pintle/machinery/errors';
import { table } from '@pintle/machinery/table';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { AuthorizerChecks } from '../matching/authorizer-checks.ts';
import { subjectName } from '../matching/subject-names.ts';
import { RequestVersions } from '../matching/versions.ts';
import { CompiledOnce } from './compiled-once.ts';
import type { Invocation } from './matched-policies.ts';
import { matchedPolicies } from './matched-policies.ts';
import { PolicyAudit } from './policy-audit.ts';
import { PolicyInputs } from './policy-inputs.ts';
import type { Bound, Candidates } from './policy-source.ts';
import type { Finding, ValidationResult } from './validating-rules.ts';
import { ValidatingRules } from './validating-rules.ts';

type Policy = ValidatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding;

interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/**
 * Evaluates all validating policies that match a request, adds warnings and audit annotations as bindings ask, and
 * throws the first denial.
 */
export async function validateByPolicies(
  candidates: Candidates<Policy, Binding>,
  request: AdmissionRequest,
): Promise<void> {
  const validator = new PolicyValidator(request);
  for await (const each of matchedPolicies(candidates, request)) {
    if ('message' in each) {
      const { policy, bound, message } = each;
      if (!policy.ignoresFailures) validator.deny(policy.name, bound?.name, message);
    } else {
      await validator.validate(each);
    }
  }
  validator.close();
}

class PolicyValidator {
  readonly #request: AdmissionRequest;
  readonly #checks: AuthorizerChecks;
  readonly #inputs: PolicyInputs;
  readonly #versions: RequestVersions;
  readonly #audit: PolicyAudit;
  /** The first denial, which is the only one reported. */
  #denial: Denial | undefined;

  constructor(request: AdmissionRequest) {
    this.#request = request;
    this.#checks = new AuthorizerChecks(request.context);
    this.#inputs = new PolicyInputs(request, this.#checks);
    this.#versions = new RequestVersions(request);
    this.#audit = new PolicyAudit(request.context.audit);
  }

  deny(policy: string, binding: string | undefined, message: string, reason = 'Invalid'): void {
    this.#denial ??= { policy, binding, message, reason };
  }

  async validate({ policy, bound, resource, params }: Invocation<Policy, Binding>): Promise<void> {
    const rules = await rulesOf.of(policy.policy, this.#request.context.clock);
    const inputs = await this.#inputs.with(await this.#versions.as(resource), params);
    const result = await this.#checks.evaluate(() => rules.evaluate(inputs));
    for (const finding of result.findings) this.#act(policy.name, bound, finding);
    this.#annotate(policy.name, bound.name, result);
  }

  #act(policy: string, { name, binding }: Bound<Binding>, { message, reason, index }: Finding): void {
    const actions = binding.spec.validationActions ?? [];
    if (actions.includes('Deny')) this.deny(policy, name, message, reason);
    if (actions.includes('Audit')) this.#audit.noteFailure({ message, policy, binding: name, index, actions });
    if (!actions.includes('Warn')) return;
    const what = `ValidatingAdmissionPolicy '${policy}' with binding '${name}'`;
    this.#request.context.warnings.add(`Validation failed for ${what}: ${message}`);
  }

  #annotate(policy: string, binding: string, { annotations, brokenAnnotations }: ValidationResult): void {
    for (const { key, value } of annotations) this.#audit.annotate(`${policy}/${key}`, value);
    for (const message of brokenAnnotations) this.deny(policy, binding, message);
  }

  /** Throws when a policy denied the request. */
  close(): void {
    this.#audit.publish();
    if (this.#denial !== undefined) throw denialError(this.#request, this.#denial);
  }
}

const rulesOf = new CompiledOnce(({ spec }: Policy) => ValidatingRules.compile(spec));

const CODES: Readonly<Record<string, number>> = table({
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
});

function denialError(request: AdmissionRequest, { policy, binding, message, reason }: Denial): StatusError {
  const { group, resource } = request.context.info;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const { status } = forbiddenError({ group, resource }, subjectName(request), text);
  const details = { ...status.details, causes: [{ message: text }] };
  return new StatusError({ ...status, reason, code: CODES[reason] ?? 422, details });
}
