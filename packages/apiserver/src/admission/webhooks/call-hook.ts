import { badRequestError } from '@pintle/machinery/errors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { WebhookClient } from '../../webhook/index.ts';
import { WebhookError } from '../../webhook/index.ts';
import type { RequestView } from '../matching/request-view.ts';
import { denialError } from './denial.ts';
import type { Hook } from './hook.ts';
import { HookFailure } from './hook.ts';
import { REVIEWS_BY_VERSION, reviewOf } from './review-request.ts';
import type { ReviewResponse } from './review-response.ts';
import { checkResponse, readReview } from './review-response.ts';

/** Bytes of a whole response; most of it may be a patch. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/**
 * Calls one webhook and returns its response when that allows the request. Rejects with a `HookFailure` when the
 * response is missing or invalid, and with the denial when the webhook denies.
 */
export async function callHook(
  { client, isMutating }: { readonly client: WebhookClient; readonly isMutating: boolean },
  hook: Hook,
  request: AdmissionRequest,
  view: RequestView,
): Promise<ReviewResponse> {
  if (request.isDryRun && !hook.allowsDryRun) {
    throw badRequestError(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  }
  const { context } = request;
  const uid = context.random.uuid();
  const response = await exchange(client, hook, request, reviewOf(hook.reviewVersion, uid, request, view));
  const problem = checkResponse(response, { uid, version: hook.reviewVersion, isMutating });
  if (problem !== undefined) throw new HookFailure(hook.name, `received invalid webhook response: ${problem}`);
  const { allowed, warnings, auditAnnotations, status } = response.response!;
  for (const [key, value] of Object.entries(auditAnnotations)) context.audit?.annotate(`${hook.name}/${key}`, value);
  for (const warning of warnings) context.warnings.add(warning);
  if (!allowed) throw denialError(hook.name, status);
  return response.response!;
}

async function exchange(
  client: WebhookClient,
  hook: Hook,
  { context }: AdmissionRequest,
  body: ReturnType<typeof reviewOf>,
): Promise<ReturnType<typeof readReview>> {
  try {
    const response = await client.post({
      clientConfig: hook.clientConfig,
      body,
      responseKinds: REVIEWS_BY_VERSION[hook.reviewVersion],
      timeoutMs: hook.timeoutMs,
      limits: { maxBytes: MAX_RESPONSE_BYTES },
      signal: context.request.signal,
    });
    return readReview(response, hook.reviewVersion);
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new HookFailure(hook.name, `failed to call webhook: ${error.message}`, { cause: error });
  }
}
