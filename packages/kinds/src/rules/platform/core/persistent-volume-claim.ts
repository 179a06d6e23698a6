import { FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import { validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from '../../../generated/core/v1.ts';
import type { Quantity } from '../../../generated/meta/v1.ts';
import { type Check, checkUnchanged, collect, problems, sortedEntries } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { jsonDiff } from '../../common/go-form/unified-diff.ts';
import { ensure, keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { defaultClaimSpec } from '../../common/pod/defaults.ts';
import { formatAccessModes, validateClaimSpec } from '../../common/pod/validation/volumes/claim-spec.ts';
import { claimWarnings } from '../../common/pod/warnings/warnings.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';
import { compareQuantities, isNegative, roundUpAmounts, wholeValue } from '../../common/quantities.ts';
import { isNativeResource } from '../../common/resource-names.ts';

const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';
const betaClassPath = FieldPath.of('metadata', 'annotations').key(betaClassAnnotation);

export const persistentVolumeClaimRules: ResourceRules<PersistentVolumeClaim> = {
  metadataChecks: ['update', 'create'],
  returnsDeletedObject: true,
  default: (claim) => {
    const status = ensure(claim, 'status');
    status.phase ??= 'Pending';
    for (const amounts of [status.capacity, status.allocatedResources]) roundUpAmounts(amounts);
    defaultClaimSpec(ensure(claim, 'spec'));
  },
  prepareForCreate: (claim) => {
    claim.status = { phase: 'Pending' };
    normalizeDataSource(ensure(claim, 'spec'), undefined);
  },
  prepareForUpdate: (next, previous) => {
    keepStatus(next, previous);
    normalizeDataSource(ensure(next, 'spec'), previous.spec);
  },
  validate: ({ spec = {} }) => [...validateClaimSpec(spec, FieldPath.of('spec'))],
  validateUpdate: (next, previous) => [
    ...validateClaimSpec(next.spec ?? {}, FieldPath.of('spec'), { takesAnyApiGroup: hadApiGroup(previous.spec) }),
    ...checkChange(next, previous),
  ],
  warnings: ({ metadata, spec = {} }) => [
    ...(Object.hasOwn(metadata.annotations ?? {}, betaClassAnnotation)
      ? [`${betaClassPath}: deprecated since v1.8; use "storageClassName" attribute instead`]
      : []),
    ...claimWarnings(spec, FieldPath.of('spec')),
  ],
  subresources: {
    status: { prepareForUpdate: keepAllButStatus, validateUpdate: (next) => collect(checkStatus(next)) },
  },
  printer: {
    columns: [
      nameColumn,
      column('Status'),
      column('Volume'),
      column('Capacity'),
      column('Access Modes'),
      column('StorageClass'),
      column('VolumeAttributesClass'),
      ageColumn,
      wideColumn('VolumeMode'),
    ],
    row: (claim, context) => {
      const { metadata, spec = {}, status } = claim;
      const isBound = !!spec.volumeName;
      return [
        nameOf(claim),
        metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
        spec.volumeName ?? '',
        isBound ? String(status?.capacity?.storage ?? '0') : '',
        isBound ? formatAccessModes(status?.accessModes) : '',
        metadata.annotations?.[betaClassAnnotation] ?? spec.storageClassName ?? '',
        spec.volumeAttributesClassName ?? '<unset>',
        age(claim, context),
        spec.volumeMode ?? '<unset>',
      ];
    },
  },
};

/** Keeps `dataSource` and the newer `dataSourceRef` in step. Drops an old source of a kind that was never supported. */
function normalizeDataSource(spec: PersistentVolumeClaimSpec, previous: PersistentVolumeClaimSpec | undefined): void {
  const inUse = previous?.dataSource !== undefined || previous?.dataSourceRef !== undefined;
  // Sources in other namespaces are a feature that Kubernetes 1.36 disables by default.
  if (spec.dataSourceRef?.namespace && previous?.dataSourceRef === undefined) delete spec.dataSourceRef;
  if (!inUse && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource;
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...local } = spec.dataSourceRef;
    spec.dataSource = local;
  }
}

function isClaimOrSnapshot(source: TypedLocalObjectReference | undefined): boolean {
  if (source?.kind === 'PersistentVolumeClaim') return !source.apiGroup;
  return source?.kind === 'VolumeSnapshot' && source.apiGroup === 'snapshot.storage.k8s.io';
}

/** Claims from before groups were validated may keep theirs. */
function hadApiGroup({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec = {}): boolean {
  return typeof dataSource?.apiGroup === 'string' || typeof dataSourceRef?.apiGroup === 'string';
}

const goSpec = 'core.PersistentVolumeClaimSpec';
const immutableSpec =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** A claim can be bound once, and may grow after that; all other fields of the spec are fixed. */
function* checkChange(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): Check {
  const spec = next.spec ?? {};
  const former = previous.spec ?? {};
  const annotation = previous.metadata.annotations?.[betaClassAnnotation] ?? '';
  yield* checkUnchanged(betaClassPath, next.metadata.annotations?.[betaClassAnnotation] ?? '', annotation);
  const compared = comparable(next, former);
  // The first binding is not a change.
  const bound = former.volumeName || !spec.volumeName ? {} : { volumeName: spec.volumeName };
  if (!deepEqual(compared, former)) {
    const difference = jsonDiff(goForm({ ...former, ...bound }, goSpec), goForm({ ...compared, ...bound }, goSpec));
    yield forbidden('spec', `${immutableSpec}\n${difference}`);
  }
  const size = spec.resources?.requests?.storage ?? '0';
  const before = former.resources?.requests?.storage ?? '0';
  const actual = previous.status?.capacity?.storage ?? '0';
  if (compareQuantities(size, before) < 0 && compareQuantities(size, actual) <= 0)
    yield forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
  yield* checkUnchanged(FieldPath.of('volumeMode'), spec.volumeMode, former.volumeMode);
  yield* checkAttributesClassChange(next, previous);
}

/** Returns the next spec with all fields that may differ taken from the former one. */
function comparable(next: PersistentVolumeClaim, former: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const spec = deepCopy(next.spec ?? {});
  if (!former.volumeName) delete spec.volumeName;
  if (former.storageClassName === undefined) delete spec.storageClassName;
  if (next.status?.phase !== 'Bound') return spec;
  const storage = former.resources?.requests?.storage;
  if (spec.resources?.requests && storage !== undefined) spec.resources.requests.storage = storage;
  if (former.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName;
  else spec.volumeAttributesClassName = former.volumeAttributesClassName;
  return spec;
}

function* checkAttributesClassChange(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): Check {
  const name = next.spec?.volumeAttributesClassName;
  if (name === previous.spec?.volumeAttributesClassName) return;
  if (previous.status?.currentVolumeAttributesClassName === undefined || name) return;
  const target = name === undefined ? 'nil' : 'empty string';
  yield forbidden(
    'spec.volumeAttributesClassName',
    `update to ${target} is forbidden when status.currentVolumeAttributesClassName is not nil`,
  );
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

function* checkStatus({ spec, status }: PersistentVolumeClaim): Check {
  const at = (field: string) => FieldPath.of('status', field);
  if (!spec?.accessModes?.length) yield required('Spec.accessModes');
  for (const [name, quantity] of sortedEntries(status?.capacity))
    yield* checkNotNegative(quantity, at('capacity').key(name));
  for (const [name, resize] of sortedEntries(status?.allocatedResourceStatuses)) {
    yield* checkResourceKey(name, at('allocatedResourceStatuses'));
    if (!resizeStatuses.includes(resize)) yield notSupported(at('allocatedResourceStatuses'), name, resizeStatuses);
  }
  for (const [name, quantity] of sortedEntries(status?.allocatedResources)) {
    const wrong = [...checkResourceKey(name, at('allocatedResources'))];
    yield* wrong;
    if (wrong.length === 0) yield* checkNotNegative(quantity, at('allocatedResources').key(name));
  }
}

function* checkNotNegative(quantity: Quantity, path: FieldPath): Check {
  if (isNegative(quantity)) yield invalid(path, wholeValue(quantity), 'must be a valid resource quantity');
}

/** Of Kubernetes' own resources a claim has only storage. */
function* checkResourceKey(name: string, path: FieldPath): Check {
  const malformed = problems(path, name, validateQualifiedName(name));
  yield* malformed;
  if (malformed.length === 0 && isNativeResource(name) && name !== 'storage')
    yield notSupported(path, name, ['storage']);
}
