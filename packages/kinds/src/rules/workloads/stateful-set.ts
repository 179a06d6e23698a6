import { type FieldError, FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { dns1123LabelName, validateAnnotations, validateDns1123Label, validateLabels } from '@pintle/machinery/names';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from '../../generated/apps/v1.ts';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import { checkNonNegative, eachItem, nonNegativeFields, optionalMatching } from '../common/checks.ts';
import { shownSelector } from '../common/labels.ts';
import { keepAllButStatus, keepStatus } from '../common/object-fields.ts';
import { defaultClaimSpec, defaultPodTemplate } from '../common/pod/defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod/disabled-fields.ts';
import { validatePodTemplate } from '../common/pod/validation/pod-spec.ts';
import { validatePodAnnotations } from '../common/pod/validation/security/annotations.ts';
import { validateClaimSpec } from '../common/pod/validation/volumes/claim-spec.ts';
import { claimWarnings, podTemplateWarnings } from '../common/pod/warnings/warnings.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import { setNoReplicas, tryCompile, validateOwnSelector, validateRunsForEver, validateSelected } from './owned-pods.ts';
import { isNone, validateAtMostAll, validateIntOrPercent } from './rolling-update.ts';
import { validateNotAbove, validateNotDecremented } from './status-counters.ts';
import { containerCells, containerColumns } from './workload-columns.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

/** Fields of the spec that may change after creation. */
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

export const statefulSetRules: ResourceRules<StatefulSet> = {
  tracksGeneration: true,
  completeBlank: setNoReplicas,
  validateName: dns1123LabelName,
  default: defaultStatefulSet,
  prepareForCreate(set) {
    set.status = { replicas: 0, availableReplicas: 0 };
    dropDisabledFields(set);
  },
  prepareForUpdate(next, previous) {
    keepStatus(next, previous);
    dropDisabledFields(next);
  },
  validate: ({ spec }) => validateSpec(spec, { isNew: true }),
  validateUpdate: (next, previous) => [
    ...validateSpec(next.spec, { isNew: false }),
    ...validateFixedFields(next.spec, previous.spec),
  ],
  warnings: statefulSetWarnings,
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: (next, previous) => validateStatus(next.status ?? noStatus, previous.status ?? noStatus),
    },
  },
  printer: statefulSetPrinter(),
};

const noStatus: StatefulSetStatus = { replicas: 0 };

function defaultStatefulSet({ spec }: StatefulSet): void {
  if (spec === undefined) return;
  spec.podManagementPolicy ||= 'OrderedReady';
  spec.updateStrategy ??= {};
  defaultUpdateStrategy(spec.updateStrategy);
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    claim.spec ??= {};
    defaultClaimSpec(claim.spec);
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
  }
}

/** Sets `rollingUpdate` only if the type is defaulted too. The partition defaults to 0. */
function defaultUpdateStrategy(strategy: StatefulSetUpdateStrategy): void {
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
}

/** `maxUnavailable` belongs to a feature that Kubernetes 1.36 disables by default. */
function dropDisabledFields({ spec }: StatefulSet): void {
  if (spec?.updateStrategy?.rollingUpdate) delete spec.updateStrategy.rollingUpdate.maxUnavailable;
  dropDisabledTemplateFields(spec?.template);
}

function validateSpec(spec: StatefulSetSpec | undefined, { isNew }: { readonly isNew: boolean }): FieldError[] {
  if (spec === undefined) return [required(specPath)];
  return [
    ...validatePodManagement(spec.podManagementPolicy, specPath.child('podManagementPolicy')),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}, specPath.child('updateStrategy')),
    ...validateRetention(
      spec.persistentVolumeClaimRetentionPolicy,
      specPath.child('persistentVolumeClaimRetentionPolicy'),
    ),
    ...(isNew
      ? eachItem(spec.volumeClaimTemplates, specPath.child('volumeClaimTemplates'), (claim, at) =>
          validateClaimSpec(claim.spec ?? {}, at.child('spec')),
        )
      : []),
    ...nonNegativeFields(spec, ['replicas', 'minReadySeconds'], specPath),
    ...checkNonNegative(specPath.child('ordinals.start'), spec.ordinals?.start),
    ...(isNew ? optionalMatching(spec.serviceName, validateDns1123Label, specPath.child('serviceName')) : []),
    ...validateOwnSelector(spec.selector, 'statefulset', specPath.child('selector')),
    ...validateTemplate(spec, specPath.child('template')),
    ...validateRunsForEver(spec.template, 'StatefulSet', specPath.child('template')),
  ];
}

function validatePodManagement(policy: string | undefined, path: FieldPath): FieldError[] {
  if (!policy) return [required(path)];
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy({ type, rollingUpdate }: StatefulSetUpdateStrategy, path: FieldPath): FieldError[] {
  const at = path.child('rollingUpdate');
  switch (type as string) {
    case 'OnDelete':
      return rollingUpdate === undefined
        ? []
        : [invalid(at, shownRollingUpdate(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")];
    case 'RollingUpdate':
      return rollingUpdate === undefined ? [] : validateRollingUpdate(rollingUpdate, at);
    default:
      return [
        invalid(
          path,
          { Type: type, RollingUpdate: rollingUpdate ? shownRollingUpdate(rollingUpdate) : null },
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function validateRollingUpdate(
  { partition, maxUnavailable }: RollingUpdateStatefulSetStrategy,
  path: FieldPath,
): FieldError[] {
  const errors = checkNonNegative(path.child('partition'), partition);
  if (maxUnavailable === undefined) return errors;
  const at = path.child('maxUnavailable');
  return [
    ...errors,
    ...validateIntOrPercent(maxUnavailable, at),
    ...(isNone(maxUnavailable) ? [invalid(at, maxUnavailable, 'cannot be 0')] : []),
    ...validateAtMostAll(maxUnavailable, at),
  ];
}

/** Returns the internal type that Kubernetes prints here: every field, under its Go name. */
function shownRollingUpdate({ partition = 0, maxUnavailable = null! }: RollingUpdateStatefulSetStrategy): object {
  return { Partition: partition, MaxUnavailable: maxUnavailable };
}

function validateRetention(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: FieldPath,
): FieldError[] {
  if (policy === undefined) return [];
  return (['whenDeleted', 'whenScaled'] as const)
    .filter((when) => policy[when] !== 'Retain' && policy[when] !== 'Delete')
    .map((when) => notSupported(path.child(when), policy[when] ?? '', ['Retain', 'Delete']));
}

function validateTemplate(spec: StatefulSetSpec, path: FieldPath): FieldError[] {
  const compiled = tryCompile(spec.selector);
  if (compiled === undefined) return [invalid(specPath.child('selector'), shownSelector(spec.selector), '')];
  const template = withOwnVolumes(spec);
  return [
    ...validateSelected(template, compiled, path),
    ...validatePodTemplate(template, path),
    ...validateMetadataAgain(template, path),
  ];
}

/** Kubernetes validates the template's labels and annotations once more, under other paths. */
function validateMetadataAgain({ metadata = {}, spec }: PodTemplateSpec, path: FieldPath): FieldError[] {
  return [
    ...validateLabels(metadata.labels, path.child('labels')),
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validatePodAnnotations(metadata.annotations, spec ?? { containers: [] }, path.child('annotations')),
  ];
}

/** Drops host name and subdomain, which the set sets itself, and adds a volume for each claim template. */
function withOwnVolumes({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const claims = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''));
  const { subdomain: _subdomain, hostname: _hostname, volumes = [], ...spec } = template.spec ?? { containers: [] };
  const own = Array.from(claims, (name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...spec, volumes: [...own, ...volumes.filter(({ name }) => !claims.has(name))] } };
}

function validateFixedFields(next: StatefulSetSpec | undefined, previous: StatefulSetSpec | undefined): FieldError[] {
  if (deepEqual(withoutChangeable(next), withoutChangeable(previous))) return [];
  const names = changeable.map((name) => `'${name}'`);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbidden(specPath, `updates to statefulset spec for fields other than ${listed} are forbidden`)];
}

function withoutChangeable(spec: StatefulSetSpec | undefined): object {
  const rest: Partial<StatefulSetSpec> = { ...spec };
  for (const name of changeable) delete rest[name];
  return rest;
}

function statefulSetWarnings(next: StatefulSet, previous: StatefulSet | undefined): string[] {
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = next.spec ?? {};
  const claims = specPath.child('volumeClaimTemplates');
  const isTold = previous === undefined || next.metadata.generation !== previous.metadata.generation;
  return [
    ...(isTold ? podTemplateWarnings(template, specPath.child('template')) : []),
    ...volumeClaimTemplates.flatMap(({ spec = {} }, index) =>
      claimWarnings(spec, previous === undefined ? claims.index(index) : claims.index(index).child('Spec')),
    ),
    ...(revisionHistoryLimit < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ];
}

function validateStatus(status: StatefulSetStatus, previous: StatefulSetStatus): FieldError[] {
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
  return [
    ...nonNegativeFields(status, ['replicas', ...parts, 'observedGeneration', 'collisionCount'], statusPath),
    ...validateNotAbove(status, parts, 'replicas', statusPath, 'status.replicas'),
    ...validateNotAbove(status, ['availableReplicas'], 'readyReplicas', statusPath, 'status.readyReplicas'),
    ...validateNotDecremented(status, previous, statusPath),
  ];
}

function statefulSetPrinter(): Printer<StatefulSet> {
  return {
    columns: [nameColumn, column('Ready'), ageColumn, ...containerColumns],
    row: (set, context) => [
      nameOf(set),
      `${set.status?.readyReplicas ?? 0}/${set.spec?.replicas ?? 0}`,
      age(set, context),
      ...containerCells(set.spec?.template),
    ],
  };
}
