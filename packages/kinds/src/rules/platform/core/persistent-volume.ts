import { FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import { validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules, WriteContext } from '@pintle/machinery/rules';
import { table } from '@pintle/machinery/table';
import { formatTime } from '@pintle/machinery/time';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../generated/core/v1.ts';
import {
  type Check,
  checkOptionalChoice,
  checkUnchanged,
  collect,
  problems,
  shownMap,
  sortedEntries,
} from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { jsonDiff } from '../../common/go-form/unified-diff.ts';
import { checkNodeSelector } from '../../common/node-selector.ts';
import { ensure, keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { checkAccessModes, formatAccessModes } from '../../common/pod/validation/volumes/claim-spec.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';
import { checkPositiveQuantity, isNegative, roundUpAmounts, wholeValue } from '../../common/quantities.ts';
import { volumeWarnings } from './persistent-volume-warnings.ts';
import {
  checkVolumeSource,
  defaultVolumeSource,
  isBackedByHostRoot,
  sourceOf,
  type VolumeSourceName,
  volumeSources,
} from './volume-sources.ts';

const path = FieldPath.of('spec');

export const persistentVolumeRules: ResourceRules<PersistentVolume> = {
  returnsDeletedObject: true,
  default: (volume) => {
    const spec = ensure(volume, 'spec');
    ensure(volume, 'status').phase ??= 'Pending';
    spec.persistentVolumeReclaimPolicy ??= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    roundUpAmounts(spec.capacity);
    defaultVolumeSource(spec);
  },
  prepareForCreate: (volume) => {
    const { creationTimestamp } = volume.metadata;
    volume.status = { phase: 'Pending', ...(creationTimestamp && { lastPhaseTransitionTime: creationTimestamp }) };
  },
  prepareForUpdate: keepStatus,
  validate: (volume) => collect(checkVolume(volume), checkMountOptions(volume)),
  /** Kubernetes validates the whole volume twice, and reports everything twice. */
  validateUpdate: (next, previous) => [
    'create',
    ...checkVolume(next),
    ...checkMountOptions(next),
    'create',
    ...checkVolume(next),
    ...checkChange(next, previous),
  ],
  warnings: volumeWarnings,
  subresources: {
    status: {
      prepareForUpdate: (next, previous, context) => {
        keepAllButStatus(next, previous);
        stampPhase(next, previous, context);
      },
    },
  },
  printer: {
    columns: [
      nameColumn,
      column('Capacity'),
      column('Access Modes'),
      column('Reclaim Policy'),
      column('Status'),
      column('Claim'),
      column('StorageClass'),
      column('VolumeAttributesClass'),
      column('Reason'),
      ageColumn,
      wideColumn('VolumeMode'),
    ],
    row: (volume, context) => {
      const { metadata, spec = {}, status } = volume;
      const { claimRef } = spec;
      return [
        nameOf(volume),
        String(spec.capacity?.storage ?? '0'),
        formatAccessModes(spec.accessModes),
        spec.persistentVolumeReclaimPolicy ?? '',
        metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
        claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
        metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '',
        spec.volumeAttributesClassName ?? '<unset>',
        status?.reason ?? '',
        age(volume, context),
        spec.volumeMode ?? '<unset>',
      ];
    },
  },
};

/** Records the time of the transition to the phase, unless the writer sets it. */
function stampPhase(next: PersistentVolume, previous: PersistentVolume, context: WriteContext | undefined): void {
  const status = ensure(next, 'status');
  const known = previous.status?.lastPhaseTransitionTime;
  const isSame = status.phase === previous.status?.phase;
  if (isSame && known && status.lastPhaseTransitionTime === undefined) status.lastPhaseTransitionTime = known;
  const isSetAnew = status.lastPhaseTransitionTime !== undefined && status.lastPhaseTransitionTime !== known;
  if (!isSame && !isSetAnew && context) status.lastPhaseTransitionTime = formatTime(context.nowMs);
}

function* checkVolume({ metadata, spec = {} }: PersistentVolume): Check {
  yield* checkVolumeSpec(spec, { path, name: metadata.name ?? '' });
}

/** The context of a volume's spec: a PersistentVolume, or an inline volume of another object. */
interface VolumeContext {
  readonly path: FieldPath;
  readonly name: string;
  readonly isInline?: boolean;
}

/** Checks also the inline volume of a VolumeAttachment. */
export function* checkVolumeSpec(spec: PersistentVolumeSpec, context: VolumeContext): Check {
  const { path: at, isInline = false } = context;
  if (isInline) yield* checkInline(spec, at);
  if (!spec.accessModes?.length) yield required(at.child('accessModes'));
  yield* checkAccessModes(spec.accessModes ?? [], at.child('accessModes'));
  if (!isInline) yield* checkCapacity(spec, at.child('capacity'));
  yield* checkReclaimPolicy(spec, context);
  if (spec.nodeAffinity && isInline) yield forbidden(at.child('nodeAffinity'), notInline);
  else yield* checkAffinity(spec, at.child('nodeAffinity', 'required'));
  yield* checkSources(spec, context);
  if (isBackedByHostRoot(spec) && spec.persistentVolumeReclaimPolicy === 'Recycle')
    yield forbidden(at.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'");
  yield* checkClassAndMode(spec, context);
  if (!isInline) yield* checkAttributesClass(spec, at);
}

const notInline = 'may not be specified in the context of inline volumes';

function* checkInline({ claimRef, capacity, csi }: PersistentVolumeSpec, at: FieldPath): Check {
  if (claimRef !== undefined) yield forbidden(at.child('claimRef'), notInline);
  if (Object.keys(capacity ?? {}).length > 0) yield forbidden(at.child('capacity'), notInline);
  if (csi === undefined) yield required(at.child('csi'), 'has to be specified in the context of inline volumes');
}

function* checkCapacity({ capacity }: PersistentVolumeSpec, at: FieldPath): Check {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) yield required(at);
  if (names.length !== 1 || names[0] !== 'storage') yield notSupported(at, shownMap(capacity), ['storage']);
  for (const [name, quantity] of sortedEntries(capacity ?? {})) {
    if (isNegative(quantity)) yield invalid(at.key(name), wholeValue(quantity), 'must be a valid resource quantity');
    yield* checkPositiveQuantity(quantity, at.key(name));
  }
}

function* checkReclaimPolicy(
  { persistentVolumeReclaimPolicy: policy }: PersistentVolumeSpec,
  context: VolumeContext,
): Check {
  const at = context.path.child('persistentVolumeReclaimPolicy');
  if (!policy) return;
  if (!context.isInline) yield* checkOptionalChoice(at, policy, ['Delete', 'Recycle', 'Retain']);
  else if (policy !== 'Retain') yield forbidden(at, 'may only be Retain in the context of inline volumes');
}

function* checkClassAndMode(
  { storageClassName: name, volumeMode }: PersistentVolumeSpec,
  context: VolumeContext,
): Check {
  const { path: at, isInline } = context;
  const classPath = at.child('storageClassName');
  if (name && isInline) yield forbidden(classPath, notInline);
  else if (name) yield* problems(classPath, name, validateDns1123Subdomain(name));
  if (!isInline) yield* checkOptionalChoice(at.child('volumeMode'), volumeMode, ['Block', 'Filesystem']);
  else if (volumeMode !== undefined && volumeMode !== 'Filesystem')
    yield forbidden(
      at.child('volumeMode'),
      'may not specify volumeMode other than Filesystem in the context of inline volumes',
    );
}

function* checkAffinity({ nodeAffinity }: PersistentVolumeSpec, at: FieldPath): Check {
  if (nodeAffinity === undefined) return;
  if (nodeAffinity.required === undefined) yield required(at, 'must specify required node constraints');
  else yield* checkNodeSelector(nodeAffinity.required, at);
}

/** Names that Kubernetes' errors use instead of the API's: for the source itself, and for one source too many. */
const shownInside: Readonly<Partial<Record<VolumeSourceName, string>>> = { gcePersistentDisk: 'persistentDisk' };
const shownAsExtra: Readonly<Partial<Record<VolumeSourceName, string>>> = { cephfs: 'cephFS' };

/** Requires exactly one source and checks only the first. A flexVolume is always checked, and never counts as one too many. */
function* checkSources(spec: PersistentVolumeSpec, { path: at, name, isInline = false }: VolumeContext): Check {
  let isTaken = false;
  for (const source of volumeSources) {
    if (spec[source] === undefined) continue;
    if (isTaken && source !== 'flexVolume') {
      yield forbidden(at.child(shownAsExtra[source] ?? source), 'may not specify more than 1 volume type');
      continue;
    }
    isTaken = true;
    yield* checkVolumeSource(spec, source, at.child(shownInside[source] ?? source), name);
    if (source === 'local' && (isInline || spec.nodeAffinity === undefined))
      yield required(at.child('nodeAffinity'), 'Local volume requires node affinity');
  }
  if (!isTaken) yield required(at, 'must specify a volume type');
}

/** Sources that support mount options. */
const mountable: readonly VolumeSourceName[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

function* checkMountOptions({ metadata, spec = {} }: PersistentVolume): Check {
  if (!Object.hasOwn(metadata.annotations ?? {}, mountOptionsAnnotation)) return;
  if (mountable.some((source) => spec[source] !== undefined)) return;
  yield forbidden(
    FieldPath.of('metadata', 'annotations', mountOptionsAnnotation),
    'may not specify mount options for this volume type',
  );
}

const mountOptionsAnnotation = 'volume.beta.kubernetes.io/mount-options';

function* checkAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec, path: FieldPath): Check {
  if (name === undefined) return;
  const at = path.child('volumeAttributesClassName');
  if (name === '') yield required(at, 'an empty string is disallowed');
  else yield* problems(at, name, validateDns1123Subdomain(name));
  if (csi === undefined) yield required(path.child('csi'), 'has to be specified when using volumeAttributesClassName');
}

const goSource = 'core.PersistentVolumeSource';

function* checkChange(next: PersistentVolume, previous: PersistentVolume): Check {
  const [spec, former] = [next.spec ?? {}, previous.spec ?? {}];
  const source = comparableSource(spec, former);
  if (!deepEqual(source, sourceOf(former))) {
    const difference = jsonDiff(goForm(former, goSource), goForm(source, goSource));
    yield forbidden(
      'spec.persistentvolumesource',
      `spec.persistentvolumesource is immutable after creation\n${difference}`,
    );
  }
  yield* checkUnchanged(FieldPath.of('volumeMode'), spec.volumeMode, former.volumeMode);
  if (former.nodeAffinity !== undefined && !deepEqual(withOldKeys(spec, former), former.nodeAffinity))
    yield invalid(
      'nodeAffinity',
      goForm(spec.nodeAffinity, '*core.VolumeNodeAffinity'),
      'field is immutable, except for updating from beta label to GA',
    );
  if (former.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    yield forbidden(path.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden');
}

const renamedLabels: Readonly<Record<string, string>> = table({
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
});

/** Returns the next affinity with its former keys where they may change: to the new name of a label, or where there were none. */
function withOldKeys({ nodeAffinity }: PersistentVolumeSpec, former: PersistentVolumeSpec): object | undefined {
  const before = former.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const copy = deepCopy(nodeAffinity);
  for (const [index, term] of (copy?.required?.nodeSelectorTerms ?? []).entries())
    for (const field of ['matchExpressions', 'matchFields'] as const)
      for (const [position, requirement] of (term[field] ?? []).entries()) {
        const old = before[index]?.[field]?.[position]?.key;
        if (old !== undefined && requirement.key === (renamedLabels[old] ?? '')) requirement.key = old;
      }
  return copy;
}

/** The secret for expanding a volume may be added later. */
function comparableSource(spec: PersistentVolumeSpec, former: PersistentVolumeSpec): PersistentVolumeSpec {
  const source = sourceOf(spec);
  if (source.csi === undefined || former.csi === undefined || former.csi.controllerExpandSecretRef) return source;
  const { controllerExpandSecretRef: _, ...csi } = source.csi;
  return { ...source, csi };
}
