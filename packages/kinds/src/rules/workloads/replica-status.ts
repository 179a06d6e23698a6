import { type FieldError, FieldPath } from '@pintle/machinery/errors';
import { nonNegativeFields } from '../common/pod-validation/index.ts';
import { validateNotAbove } from './status-counters.ts';

interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly terminatingReplicas?: number;
}

const path = FieldPath.of('status');
const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

/** What ReplicaSets and ReplicationControllers report. */
export function validateReplicaStatus(status: ReplicaStatus): FieldError[] {
  return [
    ...nonNegativeFields(status, ['replicas', ...parts, 'observedGeneration', 'terminatingReplicas'], path),
    ...validateNotAbove(status, parts, 'replicas', path, 'status.replicas'),
    ...validateNotAbove(status, ['availableReplicas'], 'readyReplicas', path, 'readyReplicas'),
  ];
}
