import { type FieldError, FieldPath, required } from '@pintle/machinery/errors';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import { matchLabelsSelector } from '@pintle/machinery/selectors';
import type { ReplicationController, ReplicationControllerSpec } from '../../generated/core/v1.ts';
import { keepAllButStatus, keepStatus } from '../common/keep-status.ts';
import { formatLabels } from '../common/labels.ts';
import { defaultPodTemplate } from '../common/pod-defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod-disabled-fields.ts';
import { nonNegative, validatePodTemplate } from '../common/pod-validation/index.ts';
import { hostnameWarnings, podTemplateWarnings } from '../common/pod-warnings.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import { validateRunsForEver, validateSelected } from './owned-pods.ts';
import { validateReplicaStatus } from './replica-status.ts';
import { containerCells, containerColumns, selectorColumn } from './workload-columns.ts';

const specPath = FieldPath.of('spec');

export const replicationControllerRules: ResourceRules<ReplicationController> = {
  tracksGeneration: true,
  default: defaultController,
  prepareForCreate(controller) {
    controller.status = { replicas: 0 };
    dropDisabledTemplateFields(controller.spec?.template);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.template);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }) => validateSpec(spec),
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
  printer: controllerPrinter(),
};

/** Selector and labels follow the template's labels. */
function defaultController({ metadata, spec }: ReplicationController): void {
  if (spec === undefined) return;
  spec.replicas ??= 1;
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined) {
    if (isWithout(spec.selector)) spec.selector = { ...labels };
    if (isWithout(metadata.labels)) metadata.labels = { ...labels };
  }
  defaultPodTemplate(spec.template);
}

function validateSpec(spec: ReplicationControllerSpec | undefined): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  return [
    ...nonNegative(spec.minReadySeconds, specPath.child('minReadySeconds')),
    ...(isWithout(spec.selector) ? [required(specPath.child('selector'))] : []),
    ...nonNegative(spec.replicas, specPath.child('replicas')),
    ...validateTemplate(spec, specPath.child('template')),
  ];
}

function validateTemplate({ template, selector }: ReplicationControllerSpec, path: FieldPath): FieldError[] {
  if (template === undefined) return [required(path)];
  return [
    ...validateSelected(template, matchLabelsSelector(selector ?? {}), path),
    ...validatePodTemplate(template, path),
    ...validateRunsForEver(template, 'ReplicationController', path),
  ];
}

function isWithout(labels: Record<string, string> | undefined): boolean {
  return Object.keys(labels ?? {}).length === 0;
}

function controllerPrinter(): Printer<ReplicationController> {
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
    row: (controller, context) => {
      const { spec, status } = controller;
      return [
        nameOf(controller),
        spec?.replicas ?? 0,
        status?.replicas ?? 0,
        status?.readyReplicas ?? 0,
        age(controller, context),
        ...containerCells(spec?.template),
        formatLabels(spec?.selector),
      ];
    },
  };
}
