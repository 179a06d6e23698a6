import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import type { AnswerKind } from '../../webhook/index.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { RequestView } from '../matching/request-view.ts';
import { describeRequest } from '../matching/request-view.ts';
import type { ReviewVersion } from './hook.ts';

export const REVIEW_GROUP = 'admission.k8s.io';
export const REVIEW_KIND = 'AdmissionReview';

export const REVIEW_KINDS: readonly AnswerKind[] = ['v1', 'v1beta1'].map((version) => ({
  apiVersion: `${REVIEW_GROUP}/${version}`,
  kind: REVIEW_KIND,
}));

/** What a webhook is sent. Both versions of it have the same fields. */
export function reviewOf(
  version: ReviewVersion,
  uid: string,
  request: AdmissionRequest,
  view: RequestView,
): JsonObject {
  return {
    kind: REVIEW_KIND,
    apiVersion: `${REVIEW_GROUP}/${version}`,
    request: {
      uid,
      ...describeRequest(request, view),
      object: (view.object ?? null) as unknown as JsonValue,
      oldObject: (view.oldObject ?? null) as unknown as JsonValue,
    },
  };
}
