import { expect, test } from 'vitest';
import { readReview } from './review-response.ts';

const review = (version: string, response: object) => ({
  apiVersion: `admission.k8s.io/${version}`,
  kind: 'AdmissionReview',
  response: { ...response },
});

test('a review in another version is read before it is refused', () => {
  expect(() => readReview(review('v1', { uid: 'u', allowed: true }), 'v1beta1')).toThrow(
    'converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown conversion',
  );
  expect(() => readReview(review('v1', { allowed: 'true' }), 'v1beta1')).toThrow(
    'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
  );
  expect(() => readReview({ ...review('v1', {}), response: 'x' }, 'v1beta1')).toThrow('of type v1.AdmissionResponse');
  expect(() => readReview(review('v1', { patch: '!' }), 'v1beta1')).toThrow('illegal base64 data at input byte 0');
});
