import { FieldPath, forbidden, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../generated/core/v1.ts';
import { checkAccessModes, formatAccessModes } from '../../common/access-modes.ts';
import type { Check } from '../../common/checks.ts';
import { checkOptionalChoice, checkUnchanged, problems, sortedEntries } from '../../common/checks.ts';
import { ensure } from '../../common/ensure.ts';
import { keepAllButStatus, keepStatus } from '../../common/keep-status.ts';
import { checkNodeSelector } from '../../common/node-selector.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';
import { checkPositiveQuantity } from '../../common/quantities.ts';
import { volumeWarnings } from './persistent-volume-warnings.ts';
import {
  checkVolumeSource,
  defaultVolumeSource,
  isBackedByHostRoot,
  sourceOf,
  volumeSources,
} from './volume-sources.ts';

const path = FieldPath.of('spec');

export const persistentVolumeRules: ResourceRules<PersistentVolume> = {
  metadataChecks: ['create', 'create'],
  returnsDeletedObject: true,
  default: (volume) => {
    const spec = ensure(volume, 'spec');
    ensure(volume, 'status').phase ??= 'Pending';
    spec.persistentVolumeReclaimPolicy ??= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    defaultVolumeSource(spec);
  },
  prepareForCreate: (volume) => {
    const { creationTimestamp } = volume.metadata;
    volume.status = { phase: 'Pending', ...(creationTimestamp && { lastPhaseTransitionTime: creationTimestamp }) };
  },
  prepareForUpdate: keepStatus,
  validate: (volume) => [...checkVolume(volume.spec ?? {})],
  /** Kubernetes looks at the whole volume twice, and says everything twice. */
  validateUpdate: (next, previous) => [
    ...checkVolume(next.spec ?? {}),
    ...checkVolume(next.spec ?? {}),
    ...checkChange(next, previous),
  ],
  warnings: volumeWarnings,
  subresources: {
    status: {
      prepareForUpdate: (next, previous) => {
        keepAllButStatus(next, previous);
        const known = previous.status?.lastPhaseTransitionTime;
        if (next.status && known && next.status.phase === previous.status?.phase)
          next.status.lastPhaseTransitionTime ??= known;
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

function* checkVolume(spec: PersistentVolumeSpec): Check {
  if (!spec.accessModes?.length) yield required(path.child('accessModes'));
  yield* checkAccessModes(spec.accessModes ?? [], path.child('accessModes'));
  yield* checkCapacity(spec);
  yield* checkOptionalChoice(path.child('persistentVolumeReclaimPolicy'), spec.persistentVolumeReclaimPolicy, [
    'Delete',
    'Recycle',
    'Retain',
  ]);
  yield* checkAffinity(spec);
  yield* checkSources(spec);
  if (isBackedByHostRoot(spec) && spec.persistentVolumeReclaimPolicy === 'Recycle')
    yield forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'");
  if (spec.storageClassName)
    yield* problems(
      path.child('storageClassName'),
      spec.storageClassName,
      validateDns1123Subdomain(spec.storageClassName),
    );
  yield* checkOptionalChoice(path.child('volumeMode'), spec.volumeMode, ['Block', 'Filesystem']);
  yield* checkAttributesClass(spec);
}

function* checkCapacity({ capacity = {} }: PersistentVolumeSpec): Check {
  const at = path.child('capacity');
  const names = Object.keys(capacity);
  if (names.length === 0) yield required(at);
  if (names.length !== 1 || names[0] !== 'storage') yield notSupported(at, capacity, ['storage']);
  for (const [name, quantity] of sortedEntries(capacity)) yield* checkPositiveQuantity(quantity, at.key(name));
}

function* checkAffinity({ nodeAffinity }: PersistentVolumeSpec): Check {
  if (nodeAffinity === undefined) return;
  const at = path.child('nodeAffinity', 'required');
  if (nodeAffinity.required === undefined) yield required(at, 'must specify required node constraints');
  else yield* checkNodeSelector(nodeAffinity.required, at);
}

/** Exactly one source; only the first is looked into. */
function* checkSources(spec: PersistentVolumeSpec): Check {
  const [first, ...more] = volumeSources.filter((source) => spec[source] !== undefined);
  if (first === undefined) yield required(path, 'must specify a volume type');
  else yield* checkVolumeSource(spec, first, path.child(first));
  if (first === 'local' && spec.nodeAffinity === undefined)
    yield required(path.child('nodeAffinity'), 'Local volume requires node affinity');
  for (const source of more) yield forbidden(path.child(source), 'may not specify more than 1 volume type');
}

function* checkAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec): Check {
  if (name === undefined) return;
  const at = path.child('volumeAttributesClassName');
  if (name === '') yield required(at, 'an empty string is disallowed');
  else yield* problems(at, name, validateDns1123Subdomain(name));
  if (csi === undefined) yield required(path.child('csi'), 'has to be specified when using volumeAttributesClassName');
}

function* checkChange(next: PersistentVolume, previous: PersistentVolume): Check {
  const [spec, former] = [next.spec ?? {}, previous.spec ?? {}];
  if (!deepEqual(comparableSource(spec, former), sourceOf(former)))
    yield forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation');
  yield* checkUnchanged(FieldPath.of('volumeMode'), spec.volumeMode, former.volumeMode);
  if (former.nodeAffinity !== undefined && !deepEqual(spec.nodeAffinity, former.nodeAffinity))
    yield* checkUnchanged(FieldPath.of('nodeAffinity'), spec.nodeAffinity, former.nodeAffinity);
  if (former.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    yield forbidden(path.child('volumeAttributesClassName'), 'update from non-nil value to nil is forbidden');
}

/** The secret for growing a volume may be added later. */
function comparableSource(spec: PersistentVolumeSpec, former: PersistentVolumeSpec): PersistentVolumeSpec {
  const source = sourceOf(spec);
  if (source.csi === undefined || former.csi === undefined || former.csi.controllerExpandSecretRef) return source;
  const { controllerExpandSecretRef: _, ...csi } = source.csi;
  return { ...source, csi };
}
