import { type FieldError, FieldPath, required } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector } from '@pintle/machinery/selectors';
import type { ReplicaSet, ReplicaSetSpec } from '../../generated/apps/v1.ts';
import { nonNegativeFields } from '../common/checks.ts';
import { defaultPodTemplate } from '../common/pod/defaults.ts';
import {
  ownerWarnings,
  setNoReplicas,
  validateOwnSelector,
  validateReplicaTemplate,
  validateSameSelector,
} from './owned-pods.ts';
import { replicaRules } from './replica-rules.ts';
import { replicaPrinter } from './workload-columns.ts';

const specPath = FieldPath.of('spec');

export const replicaSetRules: ResourceRules<ReplicaSet> = {
  ...replicaRules,
  completeBlank: setNoReplicas,
  default({ spec }) {
    if (spec === undefined) return;
    spec.replicas ??= 1;
    defaultPodTemplate(spec.template);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (next, previous) => [
    ...validateSpec(next.spec),
    ...validateSameSelector(next.spec?.selector, previous.spec?.selector),
  ],
  warnings: (next, previous) => ownerWarnings(next, previous, next.spec?.template),
  printer: replicaPrinter(({ spec }) => formatLabelSelector(spec?.selector)),
};

function validateSpec(spec: ReplicaSetSpec | undefined): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  return [
    ...nonNegativeFields(spec, ['replicas', 'minReadySeconds'], specPath),
    // Kubernetes' message says deployment here too.
    ...validateOwnSelector(spec.selector, 'deployment', specPath.child('selector')),
    ...validateReplicaTemplate(spec.template, spec.selector, specPath.child('template')),
  ];
}
