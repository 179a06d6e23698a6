import { errorText, StatusError } from '@pintle/machinery/errors';
import { asJson, encodeJson, isJsonObject, type JsonObject } from '@pintle/machinery/json';
import type { AdmissionHandler, AdmissionRequest, AdmissionResponse, AdmissionScope } from './admission.ts';

/** Answered review, and the error of a handler that failed rather than refused. */
export interface AnsweredReview {
  readonly review: JsonObject;
  readonly failure?: unknown;
}

/** Answers an AdmissionReview, in its version. Returns `undefined` for other objects. */
export async function answerAdmission(
  review: JsonObject,
  handler: AdmissionHandler,
  signal: AbortSignal,
): Promise<AnsweredReview | undefined> {
  const { apiVersion, kind, request } = review;
  if (kind !== 'AdmissionReview' || !isJsonObject(request)) return undefined;
  const asked = request as unknown as AdmissionRequest;
  const warnings: string[] = [];
  const auditAnnotations: Record<string, string> = {};
  const scope: AdmissionScope = {
    request: asked,
    isDryRun: asked.dryRun === true,
    signal,
    warn: (message) => warnings.push(message),
    audit: (key, value) => {
      auditAnnotations[key] = value;
    },
  };
  const { answer, failure } = await decide(handler, asked, scope);
  const response = {
    uid: asked.uid,
    ...formatResponse(answer),
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(auditAnnotations).length > 0 && { auditAnnotations }),
  };
  const answered = asJson({ apiVersion: apiVersion ?? 'admission.k8s.io/v1', kind, response });
  return { review: answered, ...(failure !== undefined && { failure }) };
}

async function decide(
  handler: AdmissionHandler,
  request: AdmissionRequest,
  scope: AdmissionScope,
): Promise<{ readonly answer: AdmissionResponse; readonly failure?: unknown }> {
  try {
    return { answer: await handler(request, scope) };
  } catch (error) {
    if (error instanceof StatusError) return { answer: { allowed: false, status: error.status } };
    if (isRefusal(error)) return { answer: refusal(403, 'Forbidden', error.message) };
    const message = `the webhook failed: ${errorText(error)}`;
    return { answer: refusal(500, 'InternalError', message), failure: error ?? message };
  }
}

/** True for errors thrown to refuse. Errors of JavaScript itself are mistakes in the handler. */
function isRefusal(error: unknown): error is Error {
  const mistakes = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError];
  return error instanceof Error && !mistakes.some((mistake) => error instanceof mistake);
}

function refusal(code: number, reason: string, message: string): AdmissionResponse {
  return { allowed: false, status: { status: 'Failure', code, reason, message } };
}

function formatResponse({ allowed, status, patch }: AdmissionResponse): object {
  const code = { code: allowed ? 200 : 403, ...status };
  if (patch === undefined || patch.length === 0) return { allowed, status: code };
  return { allowed, status: code, patchType: 'JSONPatch', patch: Buffer.from(encodeJson(patch)).toString('base64') };
}
