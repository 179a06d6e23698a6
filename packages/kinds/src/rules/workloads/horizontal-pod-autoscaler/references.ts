import type { FieldError, FieldPath } from '@pintle/machinery/errors';
import { pathSegmentName } from '@pintle/machinery/names';
import type { CrossVersionObjectReference } from '../../../generated/autoscaling/v2.ts';
import { complaints, requiredMatching } from '../../common/pod-validation/index.ts';

export function validateReference(
  { kind, name, apiVersion = '' }: CrossVersionObjectReference,
  path: FieldPath,
  versionProblem: (apiVersion: string) => string | undefined,
): FieldError[] {
  const problem = versionProblem(apiVersion);
  return [
    ...requiredMatching(kind, (text) => pathSegmentName(text, false), path.child('kind')),
    ...requiredMatching(name, (text) => pathSegmentName(text, false), path.child('name')),
    ...(problem === undefined ? [] : complaints(path.child('apiVersion'), apiVersion, [problem])),
  ];
}

/** `apps/v1`, or `v1` for what has no group. */
export function apiVersionProblem(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}
