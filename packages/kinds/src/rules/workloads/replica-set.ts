import { type FieldError, FieldPath, invalid, required } from '@pintle/machinery/errors';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector } from '@pintle/machinery/selectors';
import type { ReplicaSet, ReplicaSetSpec } from '../../generated/apps/v1.ts';
import { keepAllButStatus, keepStatus } from '../common/keep-status.ts';
import { defaultPodTemplate } from '../common/pod-defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod-disabled-fields.ts';
import { immutable, nonNegativeFields, shownSelector, validatePodTemplate } from '../common/pod-validation/index.ts';
import { hostnameWarnings, podTemplateWarnings } from '../common/pod-warnings.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import { tryCompile, validateOwnSelector, validateRunsForEver, validateSelected } from './owned-pods.ts';
import { validateReplicaStatus } from './replica-status.ts';
import { containerCells, containerColumns, selectorColumn } from './workload-columns.ts';

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
  warnings(next, previous) {
    if (previous !== undefined && next.metadata.generation === previous.metadata.generation) return [];
    return [
      ...(previous === undefined ? hostnameWarnings(next.metadata.name, 'Pod names and hostnames') : []),
      ...podTemplateWarnings(next.spec?.template, specPath.child('template')),
    ];
  },
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) => validateReplicaStatus(status ?? {}),
    },
  },
  selectableFields: ({ status }) => ({ 'status.replicas': String(status?.replicas ?? 0) }),
  printer: replicaSetPrinter(),
};

function validateSpec(spec: ReplicaSetSpec | undefined): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  return [
    ...nonNegativeFields(spec, ['replicas', 'minReadySeconds'], specPath),
    // Kubernetes says deployment here too.
    ...validateOwnSelector(spec.selector, 'deployment', specPath.child('selector')),
    ...validateTemplate(spec, specPath.child('template')),
  ];
}

function validateTemplate({ selector, template }: ReplicaSetSpec, path: FieldPath): FieldError[] {
  const compiled = tryCompile(selector);
  if (compiled === undefined)
    return [invalid(specPath.child('selector'), shownSelector(selector), 'invalid label selector')];
  return [
    ...validateSelected(template, compiled, path),
    ...validatePodTemplate(template, path),
    ...validateRunsForEver(template, 'ReplicaSet', path),
  ];
}

function replicaSetPrinter(): Printer<ReplicaSet> {
  return {
    columns: [
      nameColumn,
      column('Desired', 'integer'),
      column('Current', 'integer'),
      column('Ready', 'integer'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row: (replicaSet, context) => {
      const { spec, status } = replicaSet;
      return [
        nameOf(replicaSet),
        spec?.replicas ?? 0,
        status?.replicas ?? 0,
        status?.readyReplicas ?? 0,
        age(replicaSet, context),
        ...containerCells(spec?.template),
        formatLabelSelector(spec?.selector),
      ];
    },
  };
}
