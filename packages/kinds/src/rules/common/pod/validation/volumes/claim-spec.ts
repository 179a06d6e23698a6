import type { ObjectMeta } from '@pintle/machinery';
import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import {
  dns1123LabelName,
  dns1123SubdomainName,
  metadataFields,
  validateAnnotations,
  validateDns1123Subdomain,
  validateLabels,
} from '@pintle/machinery/names';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '../../../../../generated/core/v1.ts';
import type { Quantity } from '../../../../../generated/meta/v1.ts';
import { type Check, checkOptionalChoice, checkRequired, optionalMatching } from '../../../checks.ts';
import { formatQuantityValue, quantitySign } from '../../../quantities.ts';

const volumeModes = ['Block', 'Filesystem'];
const notSettable = metadataFields.filter((field) => field !== 'labels' && field !== 'annotations');

/** Checks the claim template of an ephemeral volume, which may set only labels and annotations as metadata. */
export function validateClaimTemplate(template: PersistentVolumeClaimTemplate, path: FieldPath): FieldError[] {
  return [
    ...validateTemplateMetadata(template.metadata, path.child('metadata')),
    ...validateClaimSpec(template.spec, path.child('spec')),
  ];
}

/** Objects made from a template take labels and annotations from it; other metadata must not be set. */
export function validateTemplateMetadata(metadata: ObjectMeta = {}, path: FieldPath): FieldError[] {
  return [
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validateLabels(metadata.labels, path.child('labels')),
    ...notSettable
      .filter((name) => metadata[name] !== undefined)
      .map((name) => forbidden(path.child(name === 'uid' ? 'uID' : name), 'cannot be set')),
  ];
}

export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  { takesAnyApiGroup = false }: { readonly takesAnyApiGroup?: boolean } = {},
): FieldError[] {
  return [
    ...validateAccessModesGiven(spec, path.child('accessModes')),
    ...validateLabelSelector(spec.selector, path.child('selector')),
    ...checkAccessModes(spec.accessModes ?? [], path.child('accessModes')),
    ...validateStorage(spec.resources?.requests?.storage, path.child('resources').key('storage')),
    ...optionalMatching(spec.storageClassName, className, path.child('storageClassName')),
    ...checkOptionalChoice(path.child('volumeMode'), spec.volumeMode, volumeModes),
    ...validateSource(spec.dataSource, path.child('dataSource'), takesAnyApiGroup),
    ...validateSource(spec.dataSourceRef, path.child('dataSourceRef'), takesAnyApiGroup),
    ...validateSourcesAgree(spec, path),
    ...optionalMatching(spec.volumeAttributesClassName, className, path.child('volumeAttributesClassName')),
  ];
}

function validateAccessModesGiven({ accessModes = [] }: PersistentVolumeClaimSpec, path: FieldPath): FieldError[] {
  return accessModes.length > 0 ? [] : [required(path, 'at least 1 access mode is required')];
}

function validateStorage(storage: Quantity | undefined, path: FieldPath): FieldError[] {
  if (storage === undefined) return [required(path)];
  return quantitySign(storage) > 0 ? [] : [invalid(path, formatQuantityValue(storage), 'must be greater than zero')];
}

function validateSource(
  source: TypedObjectReference | undefined,
  path: FieldPath,
  takesAnyApiGroup: boolean,
): FieldError[] {
  if (source === undefined) return [];
  const { kind = '', namespace } = source;
  const apiGroup = source.apiGroup ?? '';
  return [
    ...checkRequired(path.child('name'), source.name),
    ...checkRequired(path.child('kind'), kind),
    ...(apiGroup === '' && kind !== 'PersistentVolumeClaim'
      ? [invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(takesAnyApiGroup
      ? []
      : optionalMatching(apiGroup, (group) => validateDns1123Subdomain(group), path.child('apiGroup'))),
    ...optionalMatching(namespace, (name) => dns1123LabelName(name, false), path.child('namespace')),
  ];
}

function validateSourcesAgree({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, path: FieldPath): FieldError[] {
  if (dataSource === undefined || dataSourceRef === undefined) return [];
  const { namespace, ...reference } = dataSourceRef;
  if (namespace) return [invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  return deepEqual(dataSource, reference) ? [] : [invalid(path, {}, 'must match dataSourceRef')];
}

function className(name: string): readonly string[] {
  return dns1123SubdomainName(name, false);
}

const supported = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export function* checkAccessModes(modes: readonly string[], path: FieldPath): Check {
  for (const mode of modes) if (!supported.includes(mode)) yield notSupported(path, mode, supported);
  const known = new Set(modes.filter((mode) => supported.includes(mode)));
  if (known.has('ReadWriteOncePod') && known.size > 1)
    yield forbidden(path, 'may not use ReadWriteOncePod with other access modes');
}

const shortForms = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };

/** Formats `RWO,ROX`, always in this order. */
export function formatAccessModes(modes: readonly string[] | undefined): string {
  return Object.entries(shortForms)
    .flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : []))
    .join(',');
}
