import { type FieldError, FieldPath, invalid, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector, validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../generated/apps/v1.ts';
import { checkNonNegative, nonNegativeFields } from '../common/checks.ts';
import { formatLabels, isEmptySelector, shownSelector } from '../common/labels.ts';
import { keepAllButStatus, keepStatus } from '../common/object-fields.ts';
import { defaultPodTemplate } from '../common/pod/defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod/disabled-fields.ts';
import { validatePodTemplate } from '../common/pod/validation/pod-spec.ts';
import { podTemplateWarnings } from '../common/pod/warnings/warnings.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import { tryCompile, validateRunsForEver, validateSameSelector, validateSelected } from './owned-pods.ts';
import { isNone, unsupportedStrategy, validateAtMostAll, validateIntOrPercent } from './rolling-update.ts';
import { validateNotDecremented } from './status-counters.ts';
import { containerCells, containerColumns, selectorColumn } from './workload-columns.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

/** Counts the changes of the template, for clients from before `metadata.generation`. */
const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

export const daemonSetRules: ResourceRules<DaemonSet> = {
  tracksGeneration: true,
  fieldAnnotations: [templateGenerationAnnotation],
  completeBlank: (set) => setTemplateGeneration(set, 0),
  default: defaultDaemonSet,
  prepareForCreate(set) {
    set.status = { ...noStatus };
    dropDisabledTemplateFields(set.spec?.template);
    setTemplateGeneration(set, Math.max(templateGeneration(set), 1));
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.template);
    const isSame = deepEqual(next.spec?.template, previous.spec?.template);
    setTemplateGeneration(next, templateGeneration(previous) + (isSame ? 0 : 1));
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (next, previous) => [
    ...validateSameSelector(next.spec?.selector, previous.spec?.selector),
    ...validateSpec(next.spec),
  ],
  warnings(next, previous) {
    if (previous !== undefined && templateGeneration(next) === templateGeneration(previous)) return [];
    return podTemplateWarnings(next.spec?.template, specPath.child('template'));
  },
  subresources: {
    status: {
      prepareForUpdate(next, previous) {
        keepAllButStatus(next, previous);
        setTemplateGeneration(next, templateGeneration(previous));
      },
      validateUpdate: (next, previous) => validateStatus(next.status ?? noStatus, previous.status ?? noStatus),
    },
  },
  printer: daemonSetPrinter(),
};

const noStatus: DaemonSetStatus = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};

function defaultDaemonSet(set: DaemonSet): void {
  const { spec } = set;
  // The writer of a DaemonSet owns the counter, which begins at 0.
  if (set.metadata.annotations?.[templateGenerationAnnotation] === undefined) setTemplateGeneration(set, 0);
  if (spec === undefined) return;
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
}

function templateGeneration({ metadata }: DaemonSet): number {
  const text = metadata.annotations?.[templateGenerationAnnotation] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) };
}

function validateSpec(spec: DaemonSetSpec | undefined): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  const { selector, template } = spec;
  const templatePath = specPath.child('template');
  const compiled = tryCompile(selector);
  return [
    ...validateLabelSelector(selector, specPath.child('selector')),
    ...(compiled === undefined ? [] : validateSelected(template, compiled, templatePath)),
    ...(selector && isEmptySelector(selector)
      ? [invalid(specPath.child('selector'), shownSelector(selector), 'empty selector is invalid for daemonset')]
      : []),
    ...validatePodTemplate(template, templatePath),
    ...validateRunsForEver(template, 'DaemonSet', templatePath),
    ...checkNonNegative(specPath.child('minReadySeconds'), spec.minReadySeconds),
    ...validateStrategy(spec.updateStrategy ?? {}, specPath.child('updateStrategy')),
    ...checkNonNegative(specPath.child('revisionHistoryLimit'), spec.revisionHistoryLimit),
  ];
}

function validateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { rollingUpdate } = strategy;
  switch (strategy.type as string) {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [required(path.child('rollingUpdate'))]
        : validateRollingUpdate(rollingUpdate, path.child('rollingUpdate'));
    default:
      return [unsupportedStrategy(strategy, ['RollingUpdate', 'OnDelete'], path)];
  }
}

/** A Pod is replaced either by surge or by unavailability, not both. */
function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, path: FieldPath): FieldError[] {
  const unavailablePath = path.child('maxUnavailable');
  const surgePath = path.child('maxSurge');
  return [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, surgePath),
    ...validateAtMostAll(maxUnavailable, unavailablePath),
    ...validateAtMostAll(maxSurge, surgePath),
    ...(!isNone(maxUnavailable) && !isNone(maxSurge)
      ? [invalid(surgePath, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(isNone(maxUnavailable) && isNone(maxSurge)
      ? [required(unavailablePath, 'cannot be 0 when maxSurge is 0')]
      : []),
  ];
}

function validateStatus(status: DaemonSetStatus, previous: DaemonSetStatus): FieldError[] {
  return [
    ...nonNegativeFields(
      status,
      [
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ],
      statusPath,
    ),
    ...validateNotDecremented(status, previous, statusPath),
  ];
}

function daemonSetPrinter(): Printer<DaemonSet> {
  const counters = ['Desired', 'Current', 'Ready', 'Up-to-date', 'Available'];
  return {
    columns: [
      nameColumn,
      ...counters.map((name) => column(name, 'integer')),
      column('Node Selector'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row: (set, context) => {
      const { spec, status } = set;
      return [
        nameOf(set),
        status?.desiredNumberScheduled ?? 0,
        status?.currentNumberScheduled ?? 0,
        status?.numberReady ?? 0,
        status?.updatedNumberScheduled ?? 0,
        status?.numberAvailable ?? 0,
        formatLabels(spec?.template.spec?.nodeSelector),
        age(set, context),
        ...containerCells(spec?.template),
        formatLabelSelector(spec?.selector),
      ];
    },
  };
}
