import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@pintle/kinds/admissionregistration/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { forbiddenError, internalError, StatusError } from '@pintle/machinery/errors';
import { asJson, deepCopy, deepEqual, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { applyJsonPatch, PatchError, readJsonPatch } from '@pintle/machinery/patch';
import { conversionProblem, unknownField } from '../../compat/go-messages.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { MutationPass } from '../admission.ts';
import { AuthorizerChecks } from '../matching/authorizer-checks.ts';
import type { RequestView } from '../matching/request-view.ts';
import { subjectName } from '../matching/subject-names.ts';
import { RequestVersions } from '../matching/versions.ts';
import { limitPatchedSize } from '../patching/limit-patched-size.ts';
import type { KindReader } from '../patching/read-patched.ts';
import { claimedBy, readPatched, servedAs } from '../patching/read-patched.ts';
import { describeRefusal } from '../webhooks/patch-refusal.ts';
import { applyConfiguration, MutationFailure } from './apply-configuration.ts';
import { CompiledOnce } from './compiled-once.ts';
import type { Invocation } from './matched-policies.ts';
import { matchedPolicies } from './matched-policies.ts';
import type { MutationResult } from './mutating-rules.ts';
import { MutatingRules } from './mutating-rules.ts';
import { PolicyInputs } from './policy-inputs.ts';
import type { Candidates } from './policy-source.ts';

type Policy = MutatingAdmissionPolicy;
type Binding = MutatingAdmissionPolicyBinding;

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

/** State of a request between its two passes. */
interface ReinvocationState {
  /** Policies that were evaluated and may be evaluated again. */
  readonly done: Set<string>;
  /** Policies to evaluate again, because the object has changed since. */
  readonly again: Set<string>;
  /** The object as the policies left it. */
  output: JsonValue;
}

/** Refusals in a response: each of thousands of parameters may have one. */
const MAX_REFUSALS = 100;

const states = new WeakMap<AdmissionRequest, ReinvocationState>();

/**
 * Evaluates mutating policies in order, each on the result of those before it. The second pass evaluates only policies
 * that ask for reinvocation.
 */
export async function mutateByPolicies(
  candidates: Candidates<Policy, Binding>,
  request: AdmissionRequest,
  pass: MutationPass,
): Promise<void> {
  let mutator: Mutator | undefined;
  for await (const each of matchedPolicies(candidates, request)) {
    mutator ??= new Mutator(request, pass);
    if ('message' in each) {
      if (!each.policy.ignoresFailures) mutator.refuse(each.policy.name, each.bound?.name, each.message, 'Forbidden');
    } else {
      await mutator.mutate(each);
    }
  }
  mutator?.close();
}

class Mutator {
  readonly #request: AdmissionRequest;
  readonly #pass: MutationPass;
  readonly #state: ReinvocationState;
  readonly #checks: AuthorizerChecks;
  readonly #inputs: PolicyInputs;
  readonly #versions: RequestVersions;
  readonly #refusals: Refusal[] = [];
  #isTouched = false;

  constructor(request: AdmissionRequest, pass: MutationPass) {
    this.#request = request;
    this.#pass = pass;
    this.#state = states.get(request) ?? { done: new Set(), again: new Set(), output: null };
    states.set(request, this.#state);
    this.#checks = new AuthorizerChecks(request.context);
    this.#inputs = new PolicyInputs(request, this.#checks);
    this.#versions = new RequestVersions(request);
    if (pass.isReinvocation && !deepEqual(this.#state.output, jsonOf(request.object))) this.#reinvokeAll();
  }

  refuse(policy: string, binding: string | undefined, why: string, reason: string): void {
    const by =
      binding === undefined ? `policy ${JSON.stringify(policy)}` : `policy '${policy}' with binding '${binding}'`;
    if (this.#refusals.length === MAX_REFUSALS) return;
    this.#refusals.push({ message: `${by} denied request: ${why}`, reason });
  }

  async mutate(invocation: Invocation<Policy, Binding>): Promise<void> {
    const { policy, bound, resource, params } = invocation;
    const rules = await rulesOf.of(policy.policy, this.#request.context.clock);
    const fail = (why: string): void => {
      if (!policy.ignoresFailures) this.refuse(policy.name, bound.name, why, 'Invalid');
    };
    const inputs = await this.#inputs.with(await this.#versions.as(resource), params);
    const matched = await this.#checks.evaluate(() => rules.evaluateConditions(inputs));
    if ('error' in matched) return fail(matched.error);
    const key = keyOf(invocation);
    if (!matched.isMatch || (this.#pass.isReinvocation && !this.#state.again.has(key))) return;
    const before = jsonOf(this.#request.object);
    for (let index = 0; index < rules.count; index++) await this.#apply(invocation, rules, index, fail);
    if (!deepEqual(before, jsonOf(this.#request.object))) this.#recordChange();
    if (rules.allowsReinvocation) this.#state.done.add(key);
  }

  async #apply(
    { resource, params }: Invocation<Policy, Binding>,
    rules: MutatingRules,
    index: number,
    fail: (why: string) => void,
  ): Promise<void> {
    const view = await this.#versions.as(resource);
    if (view.object === undefined) return;
    const inputs = await this.#inputs.with(view, params);
    const result = await this.#checks.evaluate(() => rules.evaluate(index, inputs));
    if ('error' in result) return fail(result.error);
    try {
      this.#request.object = await this.#versions.back(await mutated(this.#request, view, result));
      this.#isTouched = true;
    } catch (error) {
      if (!(error instanceof MutationFailure)) throw error;
      fail(error.message);
    }
  }

  #reinvokeAll(): void {
    for (const key of this.#state.done) this.#state.again.add(key);
    this.#state.done.clear();
  }

  #recordChange(): void {
    this.#reinvokeAll();
    this.#pass.requestReinvocation();
  }

  /** Throws when a policy with `failurePolicy: Fail` has failed. */
  close(): void {
    // As in Kubernetes, a policy that changes the object is evaluated again itself.
    if (this.#isTouched) this.#recordChange();
    // Later plugins may change the object in place.
    this.#state.output = deepCopy(jsonOf(this.#request.object));
    if (this.#refusals.length > 0) throw refusalError(this.#request, this.#refusals);
  }
}

function jsonOf(object: KubernetesObject | undefined): JsonValue {
  return asJson(object ?? null);
}

function keyOf({ policy, bound, params }: Invocation<Policy, Binding>): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return `${policy.name}/${bound.name}/${namespace}/${name}`;
}

const rulesOf = new CompiledOnce(({ spec }: Policy) => MutatingRules.compile(spec));

/** Returns the object with a mutation applied, read by its schema and with defaults, as if a client had sent it. */
async function mutated(
  request: AdmissionRequest,
  view: RequestView,
  result: Exclude<MutationResult, { readonly error: string }>,
): Promise<KubernetesObject> {
  const before = jsonOf(view.object) as JsonObject;
  const asked = await servedAs(request, view);
  const document =
    'patch' in result
      ? patched(before, result.patch)
      : applyConfiguration(before, result.configuration, asked.fieldSchema?.());
  if (document === undefined) return view.object!;
  const served = await claimedBy(request, asked, document);
  limitPatchedSize(request, document);
  if ('patch' in result && !served.isCustom) refuseUnknown(served, document);
  if (!('patch' in result)) refuseUnreadable(served, view, document);
  const object = readPatched(served, view.kind, deepCopy(document), (problem) =>
    internalError(`failed to convert object: ${problem}`),
  );
  served.rules?.default?.(object, request.context.yielding);
  return object;
}

/** Throws when the merged object cannot be read: the configuration fits the schema, but a quantity has a syntax too. */
function refuseUnreadable({ reader }: KindReader, { kind }: RequestView, document: JsonObject): void {
  try {
    reader.read(deepCopy(document));
  } catch (error) {
    const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    throw new MutationFailure(conversionProblem(type, error), { cause: error });
  }
}

/** Throws when the patch sets fields that the kind does not have, whatever the `failurePolicy`. */
function refuseUnknown({ reader }: KindReader, document: JsonObject): void {
  let unknown: readonly string[] = [];
  try {
    ({ unknown } = reader.read(deepCopy(document)));
  } catch {
    // The reader reports this with its own message.
    return;
  }
  if (unknown.length === 0) return;
  const fields = unknown.map(unknownField);
  throw internalError(`strict decoding error: ${fields.join(', ')}`);
}

/** Returns `undefined` when a test operation fails: the patch is then not applied. */
function patched(before: JsonObject, operations: JsonValue[]): JsonObject | undefined {
  try {
    return applyJsonPatch(before, readJsonPatch(operations)) as JsonObject;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.failure.code === 'TestFailed') return undefined;
    throw new MutationFailure(`JSON Patch: ${describeRefusal(before, operations, error)}`, { cause: error });
  }
}

/** Returns the error of the first refusal, with all of them as causes. */
function refusalError(request: AdmissionRequest, refusals: readonly Refusal[]): StatusError {
  const { group, resource } = request.context.info;
  const { status } = forbiddenError({ group, resource }, subjectName(request), '');
  const { message, reason } = refusals[0]!;
  const causes = refusals.map((refusal) => ({ message: refusal.message }));
  return new StatusError({ ...status, message, reason, details: { ...status.details, causes } });
}
