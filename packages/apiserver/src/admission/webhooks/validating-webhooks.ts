import { internalError } from '@pintle/machinery/errors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { RequestView } from '../matching/request-view.ts';
import { askHook } from './ask-hook.ts';
import type { Hook } from './hook.ts';
import { HookFailure } from './hook.ts';
import type { Candidate } from './hook-source.ts';
import { Invocations } from './invocation.ts';
import type { Asking } from './measured.ts';
import { measured } from './measured.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io';

interface Call {
  readonly hook: Hook;
  readonly view: RequestView;
}

/** Calls all validating webhooks at once, waits for all, and throws the first refusal in their order. */
export async function validateByWebhooks(
  asking: Asking,
  candidates: readonly Candidate[],
  request: AdmissionRequest,
): Promise<void> {
  const invocations = new Invocations(request);
  const calls: Call[] = [];
  for (const candidate of candidates) {
    if (!(await invocations.includes(candidate))) continue;
    calls.push({ hook: candidate.hook, view: await invocations.versions.as(candidate.resource) });
  }
  const outcomes = await Promise.allSettled(calls.map((call, index) => validateBy(asking, call, request, index)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function validateBy(
  asking: Asking,
  { hook, view }: Call,
  request: AdmissionRequest,
  index: number,
): Promise<void> {
  try {
    await measured(asking, { hook, type: 'validating' }, request, () =>
      askHook({ client: asking.client, isMutating: false }, hook, request, view),
    );
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    if (!hook.ignoresFailures) throw internalError(error.message, { cause: error });
    asking.metrics.failedOpen(hook.name, 'validating');
    request.call.audit?.annotate(`${FAILED_OPEN}/round_0_index_${index}`, hook.name);
  }
}
