import { internalError } from '@pintle/machinery/errors';
import { asJson, deepCopy, deepEqual, type JsonObject, type JsonValue, stringifyJson } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { MutationPass } from '../admission.ts';
import { callHook } from './call-hook.ts';
import type { Hook } from './hook.ts';
import { HookFailure } from './hook.ts';
import type { Candidate } from './hook-source.ts';
import { Invocations } from './invocation.ts';
import type { WebhookDependencies } from './measured.ts';
import { measured } from './measured.ts';
import type { SentPatch } from './patch-object.ts';
import { patchObject, readPatch } from './patch-object.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io';
const PATCH = 'patch.webhook.admission.k8s.io';
const FAILED_OPEN = 'failed-open.mutation.webhook.admission.k8s.io';

/** State of a request between its two passes. */
interface ReinvocationState {
  /** Webhooks that were called and may be called again. */
  readonly asked: Set<Hook>;
  /** Webhooks to call again, because others have changed the object since. */
  readonly again: Set<Hook>;
  /** The object as the webhooks left it. */
  output: JsonValue;
}

const states = new WeakMap<AdmissionRequest, ReinvocationState>();

/**
 * Calls mutating webhooks in order, each with the result of those before it. The second pass calls only webhooks that
 * call for reinvocation and have not seen the object as it is.
 */
export async function mutateByWebhooks(
  dependencies: WebhookDependencies,
  candidates: readonly Candidate[],
  request: AdmissionRequest,
  pass: MutationPass,
): Promise<void> {
  const state = stateOf(request);
  if (pass.isReinvocation && !deepEqual(state.output, outputOf(request) ?? null)) reinvokeAll(state);
  const invocations = new Invocations(request);
  for (const [index, candidate] of candidates.entries()) {
    if (!(await invocations.includes(candidate))) continue;
    if (pass.isReinvocation && !state.again.has(candidate.hook)) continue;
    const round = `round_${pass.isReinvocation ? 1 : 0}_index_${index}`;
    if (await mutateBy(dependencies, candidate, request, { invocations, round })) {
      reinvokeAll(state);
      pass.requestReinvocation();
    }
    if (candidate.hook.allowsReinvocation) state.asked.add(candidate.hook);
  }
  // Later plugins may change the object in place.
  state.output = deepCopy(outputOf(request) ?? null);
}

function stateOf(request: AdmissionRequest): ReinvocationState {
  const state = states.get(request) ?? { asked: new Set(), again: new Set(), output: null };
  states.set(request, state);
  return state;
}

function outputOf({ object }: AdmissionRequest): JsonValue | undefined {
  return asJson(object);
}

function reinvokeAll({ asked, again }: ReinvocationState): void {
  for (const hook of asked) again.add(hook);
  asked.clear();
}

interface CallContext {
  readonly invocations: Invocations;
  /** Position of the call in the order of calls, as the audit annotation has it. */
  readonly round: string;
}

/** Resolves with true when the webhook changed the object. Failures may be ignored. */
async function mutateBy(
  dependencies: WebhookDependencies,
  candidate: Candidate,
  request: AdmissionRequest,
  call: CallContext,
): Promise<boolean> {
  const { hook } = candidate;
  const { audit } = request.context;
  const note = (mutated: boolean) => audit?.annotate(`${MUTATION}/${call.round}`, describe(hook, { mutated }));
  try {
    const work = () => applyResponse(dependencies, candidate, request, call);
    const isChanged = await measured(dependencies, { hook, type: 'admit' }, request, work);
    note(isChanged);
    return isChanged;
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    note(false);
    if (!hook.ignoresFailures) throw internalError(error.message, { cause: error });
    dependencies.metrics.failedOpen(hook.name, 'admit');
    audit?.annotate(`${FAILED_OPEN}/${call.round}`, hook.name);
    return false;
  }
}

async function applyResponse(
  { client }: WebhookDependencies,
  { hook, resource }: Candidate,
  request: AdmissionRequest,
  { invocations, round }: CallContext,
): Promise<boolean> {
  const view = await invocations.versions.as(resource);
  const response = await callHook({ client, isMutating: true }, hook, request, view);
  const sent = readPatch(hook.name, response);
  if (sent === undefined) return false;
  if (view.object === undefined) throw cannotModify(hook);
  const { object, isChanged } = await patchObject(request, view, sent);
  request.object = await invocations.versions.back(object);
  notePatch(request, round, hook, sent);
  return isChanged;
}

function cannotModify({ name }: Hook): Error {
  const what = 'attempted to modify the object, which is not supported for this operation';
  return internalError(`admission webhook ${JSON.stringify(name)} ${what}`);
}

function describe({ configuration, name }: Hook, more: JsonObject): string {
  return stringifyJson({ configuration, webhook: name, ...more });
}

/** Writes the patch into the audit log where the policy logs bodies: a patch may contain secrets as well. */
function notePatch({ context }: AdmissionRequest, round: string, hook: Hook, { operations }: SentPatch): void {
  if (!context.audit?.takesBodies) return;
  context.audit.annotate(`${PATCH}/${round}`, describe(hook, { patch: [...operations], patchType: 'JSONPatch' }));
}
