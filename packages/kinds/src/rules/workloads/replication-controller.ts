import { type FieldError, FieldPath, required } from '@pintle/machinery/errors';
import { subdomainOrAnyPrefix } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { matchLabelsSelector } from '@pintle/machinery/selectors';
import type { ReplicationController, ReplicationControllerSpec } from '../../generated/core/v1.ts';
import { checkNonNegative } from '../common/checks.ts';
import { formatLabels } from '../common/labels.ts';
import { defaultPodTemplate } from '../common/pod/defaults.ts';
import { validatePodTemplate } from '../common/pod/validation/pod-spec.ts';
import { ownerWarnings, validateRunsForEver, validateSelected } from './owned-pods.ts';
import { replicaRules } from './replica-rules.ts';
import { replicaPrinter } from './workload-columns.ts';

const specPath = FieldPath.of('spec');

export const replicationControllerRules: ResourceRules<ReplicationController> = {
  ...replicaRules,
  // Kubernetes counts the names of this one kind in bytes.
  validateName: (name, isPrefix) =>
    subdomainOrAnyPrefix(name, isPrefix).map((problem) => problem.replace(/ characters$/, ' bytes')),
  selectableFields: ({ status }) => ({ 'status.replicas': String(status?.replicas ?? 0) }),
  default: defaultController,
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }) => validateSpec(spec),
  /** At an update Kubernetes warns about the previous template. */
  warnings: (next, previous) => ownerWarnings(next, previous, (previous ?? next).spec?.template),
  printer: replicaPrinter(({ spec }) => formatLabels(spec?.selector)),
};

/** Selector and labels default to the template's labels. */
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
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...(isWithout(spec.selector) ? [required(specPath.child('selector'))] : []),
    ...checkNonNegative(specPath.child('replicas'), spec.replicas),
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
