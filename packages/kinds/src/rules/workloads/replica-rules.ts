import { type FieldError, FieldPath } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { ReplicaSet } from '../../generated/apps/v1.ts';
import type { ReplicationController } from '../../generated/core/v1.ts';
import { nonNegativeFields } from '../common/checks.ts';
import { keepAllButStatus, keepStatus } from '../common/object-fields.ts';
import { dropDisabledTemplateFields } from '../common/pod/disabled-fields.ts';
import { validateNotAbove } from './status-counters.ts';

type Replicated = ReplicaSet | ReplicationController;
type Status = Partial<NonNullable<ReplicaSet['status']>>;

/** Rules that ReplicaSets and ReplicationControllers share. */
export const replicaRules: ResourceRules<Replicated> = {
  tracksGeneration: true,
  prepareForCreate(owner) {
    owner.status = { replicas: 0 };
    dropDisabledTemplateFields(owner.spec?.template);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.template);
  },
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) => validateStatus(status ?? {}),
    },
  },
};

const path = FieldPath.of('status');
const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

function validateStatus(status: Status): FieldError[] {
  return [
    ...nonNegativeFields(status, ['replicas', ...parts, 'observedGeneration', 'terminatingReplicas'], path),
    ...validateNotAbove(status, parts, 'replicas', path, 'status.replicas'),
    ...validateNotAbove(status, ['availableReplicas'], 'readyReplicas', path, 'readyReplicas'),
  ];
}
