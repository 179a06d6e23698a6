import type { FieldPath } from '@pintle/machinery/errors';
import type { JobSpec } from '../../../generated/batch/v1.ts';
import { podTemplateWarnings } from '../../common/pod-warnings.ts';

export function jobSpecWarnings(spec: JobSpec, path: FieldPath): string[] {
  return [...sizeWarnings(spec, path), ...podTemplateWarnings(spec.template, path.child('template'))];
}

function sizeWarnings({ completionMode, completions = 0, parallelism = 0 }: JobSpec, path: FieldPath): string[] {
  if (completionMode !== 'Indexed' || completions <= 100_000 || parallelism <= 10_000) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
