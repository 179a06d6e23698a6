import { StatusError } from '@pintle/machinery/errors';
import type { HookCall, HookMetrics } from '../../metrics/hook-metrics.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { WebhookClient } from '../../webhook/index.ts';
import type { Hook } from './hook.ts';
import { HookFailure } from './hook.ts';

type Outcome = Pick<HookCall, 'code' | 'rejection'>;

const OK = 200;
const INTERNAL_ERROR = 500;

/** Runs `call` and counts its outcome. */
export async function measured<T>(
  { metrics }: WebhookDependencies,
  { hook, type }: { readonly hook: Hook; readonly type: HookCall['type'] },
  { context, operation }: AdmissionRequest,
  call: () => Promise<T>,
): Promise<T> {
  const startedAt = context.clock.now();
  const record = (outcome: Outcome): void => {
    const seconds = (context.clock.now() - startedAt) / 1000;
    metrics.called({ name: hook.name, type, operation, seconds, ...outcome });
  };
  try {
    const response = await call();
    record({ code: OK, rejection: undefined });
    return response;
  } catch (error) {
    record(outcomeOf(error, hook));
    throw error;
  }
}

function outcomeOf(error: unknown, { ignoresFailures }: Hook): Outcome {
  if (error instanceof HookFailure) {
    return { code: INTERNAL_ERROR, rejection: ignoresFailures ? undefined : 'calling_webhook_error' };
  }
  const { code = INTERNAL_ERROR, reason = '' } = error instanceof StatusError ? error.status : {};
  const isOurs = !(error instanceof StatusError) || reason === 'InternalError';
  return { code, rejection: isOurs ? 'apiserver_internal_error' : 'no_error' };
}

export interface WebhookDependencies {
  readonly client: WebhookClient;
  readonly metrics: HookMetrics;
}
