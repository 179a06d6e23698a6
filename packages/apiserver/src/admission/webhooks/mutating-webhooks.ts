import { internalError } from '@pintle/machinery/errors';
import { asJson, deepCopy, deepEqual, type JsonObject, type JsonValue, stringifyJson } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { MutationPass } from '../admission.ts';
import { askHook } from './ask-hook.ts';
import type { Hook } from './hook.ts';
import { HookFailure } from './hook.ts';
import type { Candidate } from './hook-source.ts';
import { Invocations } from './invocation.ts';
import type { Asking } from './measured.ts';
import { measured } from './measured.ts';
import type { SentPatch } from './patch-object.ts';
import { patchObject, readPatch } from './patch-object.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io';
const PATCH = 'patch.webhook.admission.k8s.io';
const FAILED_OPEN = 'failed-open.mutation.webhook.admission.k8s.io';

/** State of a request between its two passes. */
interface Memory {
  /** Webhooks that were called and may be called again. */
  readonly asked: Set<Hook>;
  /** Webhooks to call again, because others have changed the object since. */
  readonly again: Set<Hook>;
  /** The object as the webhooks left it. */
  output: JsonValue;
}

const memories = new WeakMap<AdmissionRequest, Memory>();

/**
 * Calls mutating webhooks in order, each with the result of those before it. The second pass calls only webhooks that
 * ask for reinvocation and have not seen the object as it is.
 */
export async function mutateByWebhooks(
  asking: Asking,
  candidates: readonly Candidate[],
  request: AdmissionRequest,
  pass: MutationPass,
): Promise<void> {
  const memory = memoryOf(request);
  if (pass.isSecond && !deepEqual(memory.output, outputOf(request) ?? null)) askAllAgain(memory);
  const invocations = new Invocations(request);
  for (const [index, candidate] of candidates.entries()) {
    if (!(await invocations.includes(candidate))) continue;
    if (pass.isSecond && !memory.again.has(candidate.hook)) continue;
    const round = `round_${pass.isSecond ? 1 : 0}_index_${index}`;
    if (await mutateBy(asking, candidate, request, { invocations, round })) {
      askAllAgain(memory);
      pass.askForAnother();
    }
    if (candidate.hook.isAskedAgain) memory.asked.add(candidate.hook);
  }
  // Later plugins may change the object in place.
  memory.output = deepCopy(outputOf(request) ?? null);
}

function memoryOf(request: AdmissionRequest): Memory {
  const memory = memories.get(request) ?? { asked: new Set(), again: new Set(), output: null };
  memories.set(request, memory);
  return memory;
}

function outputOf({ object }: AdmissionRequest): JsonValue | undefined {
  return asJson(object);
}

function askAllAgain({ asked, again }: Memory): void {
  for (const hook of asked) again.add(hook);
  asked.clear();
}

interface Turn {
  readonly invocations: Invocations;
  /** Position of the call in the order of calls, as the audit annotation has it. */
  readonly round: string;
}

/** Resolves with true when the webhook changed the object. Failures may be ignored. */
async function mutateBy(asking: Asking, candidate: Candidate, request: AdmissionRequest, turn: Turn): Promise<boolean> {
  const { hook } = candidate;
  const { audit } = request.call;
  const note = (mutated: boolean) => audit?.annotate(`${MUTATION}/${turn.round}`, describe(hook, { mutated }));
  try {
    const ask = () => applyAnswer(asking, candidate, request, turn);
    const isChanged = await measured(asking, { hook, type: 'admit' }, request, ask);
    note(isChanged);
    return isChanged;
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    note(false);
    if (!hook.ignoresFailures) throw internalError(error.message, { cause: error });
    asking.metrics.failedOpen(hook.name, 'admit');
    audit?.annotate(`${FAILED_OPEN}/${turn.round}`, hook.name);
    return false;
  }
}

async function applyAnswer(
  { client }: Asking,
  { hook, resource }: Candidate,
  request: AdmissionRequest,
  { invocations, round }: Turn,
): Promise<boolean> {
  const view = await invocations.versions.as(resource);
  const response = await askHook({ client, isMutating: true }, hook, request, view);
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
function notePatch({ call }: AdmissionRequest, round: string, hook: Hook, { operations }: SentPatch): void {
  if (!call.audit?.takesBodies) return;
  call.audit.annotate(`${PATCH}/${round}`, describe(hook, { patch: [...operations], patchType: 'JSONPatch' }));
}
