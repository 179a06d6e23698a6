import {
  duplicate,
  FieldPath,
  forbidden,
  invalid,
  MAX_FIELD_ERRORS,
  required,
  tooLong,
} from '@pintle/machinery/errors';
import { compareUtf8, deepEqual } from '@pintle/machinery/json';
import { byteLength, validateLabelKey, validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { TopologySelectorTerm } from '../../../generated/core/v1.ts';
import type { StorageClass, VolumeAttributesClass } from '../../../generated/storage/v1.ts';
import {
  type Check,
  checkOptionalChoice,
  checkSetChoice,
  checkUnchanged,
  collect,
  problems,
  shownMap,
} from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { deprecatedNodeLabels } from '../../common/node-selector.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

export const storageClassRules: ResourceRules<StorageClass> = {
  returnsDeletedObject: true,
  default: (storageClass) => {
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  },
  validate: (storageClass) => collect(checkStorageClass(storageClass)),
  validateUpdate: (next, previous) => [
    'create',
    ...checkStorageClass(next),
    'update',
    ...checkUnchanged(
      FieldPath.of('parameters'),
      next.parameters ?? null,
      previous.parameters ?? null,
      shownMap(next.parameters),
    ),
    ...(['provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const).flatMap((field) => [
      ...checkUnchanged(FieldPath.of(field), next[field] ?? null, previous[field] ?? null),
    ]),
  ],
  warnings: topologyWarnings,
  printer: {
    columns: [
      nameColumn,
      column('Provisioner'),
      column('ReclaimPolicy'),
      column('VolumeBindingMode'),
      column('AllowVolumeExpansion'),
      ageColumn,
    ],
    row: (storageClass, context) => [
      nameOf(storageClass) + (isDefault(storageClass) ? ' (default)' : ''),
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? 'Delete',
      storageClass.volumeBindingMode ?? 'Immediate',
      storageClass.allowVolumeExpansion ?? false,
      age(storageClass, context),
    ],
  },
};

export const volumeAttributesClassRules: ResourceRules<VolumeAttributesClass> = {
  returnsDeletedObject: true,
  validate: (attributesClass) => collect(checkAttributesClass(attributesClass)),
  validateUpdate: (next, previous) => [
    'update',
    ...(['driverName', 'parameters'] as const)
      .filter((field) => !deepEqual(next[field], previous[field]))
      .map((field) => forbidden(field, `updates to ${field} are forbidden.`)),
    'create',
    ...checkAttributesClass(next),
  ],
  printer: {
    columns: [nameColumn, column('DriverName'), ageColumn],
    row: (attributesClass, context) => [
      nameOf(attributesClass),
      attributesClass.driverName,
      age(attributesClass, context),
    ],
  },
};

function topologyWarnings({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
    matchLabelExpressions.flatMap(({ key }, position) => {
      const path = FieldPath.of('allowedTopologies').index(index).child('matchLabelExpressions').index(position);
      return Object.hasOwn(deprecatedNodeLabels, key) ? [`${path.child('key')}: ${deprecatedNodeLabels[key]}`] : [];
    }),
  );
}

function isDefault({ metadata }: StorageClass): boolean {
  const { annotations = {} } = metadata;
  return ['storageclass.kubernetes.io', 'storageclass.beta.kubernetes.io'].some(
    (domain) => annotations[`${domain}/is-default-class`] === 'true',
  );
}

function* checkStorageClass(storageClass: StorageClass): Check {
  const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  yield* checkProvisioner(provisioner, FieldPath.of('provisioner'));
  yield* checkParameters(parameters);
  if (reclaimPolicy) yield* checkOptionalChoice(FieldPath.of('reclaimPolicy'), reclaimPolicy, ['Delete', 'Retain']);
  yield* checkSetChoice(FieldPath.of('volumeBindingMode'), volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']);
  yield* checkTopologies(allowedTopologies, FieldPath.of('allowedTopologies'));
}

function* checkAttributesClass({ driverName, parameters = {} }: VolumeAttributesClass): Check {
  yield* checkProvisioner(driverName, FieldPath.of('driverName'));
  yield* checkParameters(parameters);
  if (Object.keys(parameters).length === 0) yield required('parameters', 'must contain at least one key/value pair');
}

function* checkProvisioner(name: string, path: FieldPath): Check {
  if (name === '') yield required(path);
  else yield* problems(path, name.toLowerCase(), validateQualifiedName(name.toLowerCase()));
}

const maxParameters = 512;
const maxParameterBytes = 256 * 1024;

function* checkParameters(parameters: Readonly<Record<string, string>>): Check {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) yield tooLong('parameters', maxParameters);
  if (Object.hasOwn(parameters, '')) yield invalid('parameters', '', 'field can not be empty.');
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > maxParameterBytes) yield tooLong('parameters', maxParameterBytes);
}

/** Refuses duplicate terms. An empty term is counted as often as there are terms, and once for each equal one. */
function* checkTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath): Check {
  const seen = new Map([[formOf({}), terms.length]]);
  for (const [index, term] of terms.entries()) {
    yield* checkTopology(term, path.index(index));
    const form = formOf(term);
    const times = seen.get(form) ?? 0;
    const at = path.index(index).child('matchLabelExpressions');
    for (let time = 0; time < Math.min(times, MAX_FIELD_ERRORS); time++) yield duplicate(at, '');
    seen.set(form, times + 1);
  }
}

/** Returns a text that is equal for terms with the same requirements. */
function formOf({ matchLabelExpressions = [] }: TopologySelectorTerm): string {
  const byKey = new Map(matchLabelExpressions.map(({ key, values }) => [key, [...new Set(values)].sort()]));
  return JSON.stringify([...byKey].sort(([left], [right]) => compareUtf8(left, right)));
}

function* checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, path: FieldPath): Check {
  const keys = new Set<string>();
  for (const [index, { key, values }] of matchLabelExpressions.entries()) {
    const at = path.child('matchLabelExpressions').index(index);
    if (!values?.length) yield required(at.child('values'));
    const isRepeated = repeats<string>();
    for (const [position, value] of (values ?? []).entries())
      if (isRepeated(value)) yield duplicate(at.child('values').index(position), value);
    yield* validateLabelKey(key, at.child('key'));
    if (keys.has(key)) yield duplicate(at.child('key'), key);
    keys.add(key);
  }
}
