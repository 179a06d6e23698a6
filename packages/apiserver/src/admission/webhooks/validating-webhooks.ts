import { internalError } from '@pintle/machinery/errors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { RequestView } from '../matching/request-view.ts';
import { callHook } from './call-hook.ts';
import type { Hook } from './hook.ts';
import { HookFailure } from './hook.ts';
import type { Candidate } from './hook-source.ts';
import { Invocations } from './invocation.ts';
import type { WebhookDependencies } from './measured.ts';
import { measured } from './measured.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io';

interface HookCall {
  readonly hook: Hook;
  readonly view: RequestView;
}

/** Calls all validating webhooks at once, waits for all, and throws the first refusal in their order. */
export async function validateByWebhooks(
  dependencies: WebhookDependencies,
  candidates: readonly Candidate[],
  request: AdmissionRequest,
): Promise<void> {
  const invocations = new Invocations(request);
  const calls: HookCall[] = [];
  for (const candidate of candidates) {
    if (!(await invocations.includes(candidate))) continue;
    calls.push({ hook: candidate.hook, view: await invocations.versions.as(candidate.resource) });
  }
  const outcomes = await Promise.allSettled(calls.map((call, index) => validateBy(dependencies, call, request, index)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function validateBy(
  dependencies: WebhookDependencies,
  { hook, view }: HookCall,
  request: AdmissionRequest,
  index: number,
): Promise<void> {
  try {
    await measured(dependencies, { hook, type: 'validating' }, request, () =>
      callHook({ client: dependencies.client, isMutating: false }, hook, request, view),
    );
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    if (!hook.ignoresFailures) throw internalError(error.message, { cause: error });
    dependencies.metrics.failedOpen(hook.name, 'validating');
    request.context.audit?.annotate(`${FAILED_OPEN}/round_0_index_${index}`, hook.name);
  }
}
