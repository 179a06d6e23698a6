import { type FieldError, FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import { formatLabelSelector } from '@pintle/machinery/selectors';
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../generated/apps/v1.ts';
import { checkNonNegative, nonNegativeFields } from '../common/checks.ts';
import { dropAnnotations, keep, keepAllButStatus, keepStatus } from '../common/object-fields.ts';
import { defaultPodTemplate } from '../common/pod/defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod/disabled-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import {
  ownerWarnings,
  setNoReplicas,
  validateOwnSelector,
  validateReplicaTemplate,
  validateSameSelector,
} from './owned-pods.ts';
import { isNone, unsupportedStrategy, validateAtMostAll, validateIntOrPercent } from './rolling-update.ts';
import { validateNotAbove, validateNotDecremented } from './status-counters.ts';
import { containerCells, containerColumns, selectorColumn } from './workload-columns.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export const deploymentRules: ResourceRules<Deployment> = {
  tracksGeneration: true,
  completeBlank: setNoReplicas,
  default: defaultDeployment,
  prepareForCreate(deployment) {
    deployment.status = {};
    dropDisabledTemplateFields(deployment.spec?.template);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledTemplateFields(next.spec?.template);
    raiseGenerationWithAnnotations(next, previous);
  },
  validate: validateDeployment,
  validateUpdate: (next, previous) => [
    ...validateDeployment(next),
    ...validateSameSelector(next.spec?.selector, previous.spec?.selector),
  ],
  warnings: (next, previous) => ownerWarnings(next, previous, next.spec?.template),
  subresources: {
    status: {
      prepareForUpdate(next, previous) {
        keepAllButStatus(next, previous);
        keep(next.metadata, previous.metadata, 'labels');
      },
      validateUpdate: (next, previous) => validateStatus(next.status ?? {}, previous.status ?? {}),
    },
  },
  printer: deploymentPrinter(),
};

function defaultDeployment({ metadata, spec }: Deployment): void {
  normalizeRollback(metadata);
  if (spec === undefined) return;
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  spec.strategy ??= {};
  defaultStrategy(spec.strategy);
  defaultPodTemplate(spec.template);
}

/** The revision to roll back to, a field in versions that no longer exist. */
const rollbackAnnotation = 'deprecated.deployment.rollback.to';

/** Rewrites a number in its canonical form. */
function normalizeRollback(metadata: Deployment['metadata']): void {
  const revision = metadata.annotations?.[rollbackAnnotation];
  if (revision === '') dropAnnotations(metadata, [rollbackAnnotation]);
  else if (revision !== undefined && /^[+-]?\d+$/.test(revision))
    metadata.annotations![rollbackAnnotation] = String(BigInt(revision.replace(/^\+/, '')));
}

function validateRollback({ annotations }: Deployment['metadata'], path: FieldPath): FieldError[] {
  return checkNonNegative(path.child('version'), Number(annotations?.[rollbackAnnotation] ?? 0));
}

function defaultStrategy(strategy: DeploymentStrategy): void {
  strategy.type ||= 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= '25%';
  strategy.rollingUpdate.maxSurge ??= '25%';
}

/** Annotations count as a change: the controller copies them to the ReplicaSets. */
function raiseGenerationWithAnnotations({ metadata }: Deployment, previous: Deployment): void {
  if (deepEqual(metadata.annotations ?? {}, previous.metadata.annotations ?? {})) return;
  metadata.generation = (previous.metadata.generation ?? 0) + 1;
}

function validateDeployment({ metadata, spec }: Deployment): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  return [
    ...checkNonNegative(specPath.child('replicas'), spec.replicas),
    ...validateOwnSelector(spec.selector, 'deployment', specPath.child('selector')),
    ...validateReplicaTemplate(spec.template, spec.selector, specPath.child('template')),
    ...validateStrategy(spec.strategy ?? {}, specPath.child('strategy')),
    ...nonNegativeFields(spec, ['minReadySeconds', 'revisionHistoryLimit'], specPath),
    ...validateRollback(metadata, specPath.child('rollback')),
    ...nonNegativeFields(spec, ['progressDeadlineSeconds'], specPath),
    ...validateDeadline(spec, specPath.child('progressDeadlineSeconds')),
  ];
}

function validateStrategy(strategy: DeploymentStrategy, path: FieldPath): FieldError[] {
  const { rollingUpdate } = strategy;
  switch (strategy.type as string) {
    case 'Recreate':
      return rollingUpdate === undefined
        ? []
        : [forbidden(path.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [required(path.child('rollingUpdate'), 'this should be defaulted and never be nil')]
        : validateRollingUpdate(rollingUpdate, path.child('rollingUpdate'));
    default:
      return [unsupportedStrategy(strategy, ['Recreate', 'RollingUpdate'], path)];
  }
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDeployment, path: FieldPath): FieldError[] {
  const unavailablePath = path.child('maxUnavailable');
  return [
    ...validateIntOrPercent(maxUnavailable, unavailablePath),
    ...validateIntOrPercent(maxSurge, path.child('maxSurge')),
    ...(isNone(maxUnavailable) && isNone(maxSurge)
      ? [invalid(unavailablePath, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...validateAtMostAll(maxUnavailable, unavailablePath),
  ];
}

function validateDeadline(
  { progressDeadlineSeconds: deadline, minReadySeconds = 0 }: DeploymentSpec,
  path: FieldPath,
): FieldError[] {
  if (deadline === undefined || deadline > minReadySeconds) return [];
  return [invalid(path, deadline, 'must be greater than minReadySeconds')];
}

function validateStatus(status: DeploymentStatus, previous: DeploymentStatus): FieldError[] {
  return [
    ...nonNegativeFields(
      status,
      [
        'observedGeneration',
        'replicas',
        'updatedReplicas',
        'readyReplicas',
        'availableReplicas',
        'unavailableReplicas',
        'terminatingReplicas',
        'collisionCount',
      ],
      statusPath,
    ),
    ...validateNotAbove(
      status,
      ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      'replicas',
      statusPath,
      'status.replicas',
    ),
    ...validateNotAbove(status, ['availableReplicas'], 'readyReplicas', statusPath, 'readyReplicas'),
    ...validateNotDecremented(status, previous, statusPath),
  ];
}

function deploymentPrinter(): Printer<Deployment> {
  return {
    columns: [
      nameColumn,
      column('Ready'),
      column('Up-to-date'),
      column('Available'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row: (deployment, context) => {
      const { spec, status = {} } = deployment;
      return [
        nameOf(deployment),
        `${status.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
        status.updatedReplicas ?? 0,
        status.availableReplicas ?? 0,
        age(deployment, context),
        ...containerCells(spec?.template),
        spec?.selector ? formatLabelSelector(spec.selector) : '',
      ];
    },
  };
}
