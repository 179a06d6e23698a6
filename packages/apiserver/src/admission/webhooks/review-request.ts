import { asJson, type JsonObject } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ResponseKind } from '../../webhook/index.ts';
import type { RequestView } from '../matching/request-view.ts';
import { describeRequest } from '../matching/request-view.ts';
import type { ReviewVersion } from './hook.ts';

export const REVIEW_GROUP = 'admission.k8s.io';
export const REVIEW_KIND = 'AdmissionReview';

const REVIEW_KINDS: readonly ResponseKind[] = ['v1', 'v1beta1'].map((version) => ({
  apiVersion: `${REVIEW_GROUP}/${version}`,
  kind: REVIEW_KIND,
}));

/** Kinds that a response may have, that of the request first. */
export const REVIEWS_BY_VERSION: Readonly<Record<ReviewVersion, readonly ResponseKind[]>> = {
  v1: REVIEW_KINDS,
  v1beta1: [...REVIEW_KINDS].reverse(),
};

/** Returns the AdmissionReview for a webhook. Both versions have the same fields. */
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
      object: asJson(view.object ?? null),
      oldObject: asJson(view.oldObject ?? null),
    },
  };
}
