import { type FieldError, FieldPath, required } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector } from '@pintle/machinery/selectors';
import type { ReplicaSet, ReplicaSetSpec } from '../../generated/apps/v1.ts';
import { keepAllButStatus, keepStatus } from '../common/keep-status.ts';
import { defaultPodTemplate } from '../common/pod-defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod-disabled-fields.ts';
import { immutable, nonNegativeFields, shownSelector } from '../common/pod-validation/index.ts';
import { ownerWarnings, validateOwnSelector, validateReplicaTemplate } from './owned-pods.ts';
import { validateReplicaStatus } from './replica-status.ts';
import { replicaPrinter } from './workload-columns.ts';

const specPath = FieldPath.of('spec');

export const replicaSetRules: ResourceRules<ReplicaSet> = {
  tracksGeneration: true,
  default({ spec }) {
    if (spec === undefined) return;
    spec.replicas ??= 1;
    defaultPodTemplate(spec.template);
  },
  prepareForCreate(replicaSet) {
    replicaSet.status = { replicas: 0 };
    dropDisabledTemplateFields(replicaSet.spec?.template);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.template);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (next, previous) => [
    ...validateSpec(next.spec),
    ...immutable(
      next.spec?.selector,
      previous.spec?.selector,
      specPath.child('selector'),
      shownSelector(next.spec?.selector),
    ),
  ],
  warnings: (next, previous) => ownerWarnings(next, previous, next.spec?.template),
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) => validateReplicaStatus(status ?? {}),
    },
  },
  selectableFields: ({ status }) => ({ 'status.replicas': String(status?.replicas ?? 0) }),
  printer: replicaPrinter(({ spec }) => formatLabelSelector(spec?.selector)),
};

function validateSpec(spec: ReplicaSetSpec | undefined): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  return [
    ...nonNegativeFields(spec, ['replicas', 'minReadySeconds'], specPath),
    // Kubernetes says deployment here too.
    ...validateOwnSelector(spec.selector, 'deployment', specPath.child('selector')),
    ...validateReplicaTemplate(spec.template, spec.selector, specPath.child('template')),
  ];
}
