import {
  addErrors,
  type FieldError,
  forbidden,
  invalid,
  MAX_FIELD_ERRORS,
  required,
  tooLong,
} from '../errors/field-error.ts';
import { FieldPath } from '../errors/field-path.ts';
import { quote } from '../errors/quote.ts';
import type { ManagedFieldsEntry, ObjectMeta } from '../meta/object-meta.ts';
import type { Scope } from '../meta/resource-type.ts';
import type { NameRule } from '../rules/resource-rules.ts';
import { validateFieldManager } from './field-names.ts';
import { isPlainLabel, validateLabelValue, validateQualifiedName } from './label-names.ts';
import { byteLength } from './messages.ts';
import { dns1123LabelName } from './name-rules.ts';
import { validateOwnerReferences } from './owner-references.ts';

export interface ObjectMetaUpdateRules {
  /** Finalizers without a domain must be ones that Kubernetes defines. True for built-in kinds, false for custom resources. */
  readonly standardFinalizers?: boolean;
  /** Default: `metadata`. */
  readonly path?: FieldPath;
  /** An earlier check found no errors: checks that depend neither on these rules nor on the previous object are skipped. */
  readonly isContentValid?: boolean;
}

export interface ObjectMetaRules extends ObjectMetaUpdateRules {
  readonly scope: Scope;
  readonly nameRule: NameRule;
}

/** Most bytes that all annotations of an object may have together, keys and values. */
export const annotationsMaxBytes = 256 * 1024;

/**
 * Returns the errors in the metadata of a new object, whose name has been generated.
 *
 * Kubernetes checks metadata more than once, and the causes of every check are reported. At creation the kind's own
 * rules come first, with the kind's rule for names; if they find nothing, the server checks again with
 * `pathSegmentName`. At an update the server checks as for a new object with `pathSegmentName`, then with
 * `validateObjectMetaUpdate`, and then the kind's own rules repeat both checks. Only the kind's own rules check
 * standard finalizers.
 */
export function validateObjectMeta(metadata: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  const path = rules.path ?? METADATA;
  const { finalizers } = metadata;
  const errors = nameErrors(metadata, rules.nameRule, path);
  if (!rules.isContentValid) addErrors(errors, contentErrors(metadata, rules.scope, path));
  if (rules.standardFinalizers && finalizers !== undefined)
    addErrors(errors, standardFinalizerErrors(finalizers, path.child('finalizers')));
  return errors;
}

const METADATA = FieldPath.of('metadata');

/** Makes paths only for fields that are present: most objects have few of these. */
function contentErrors(metadata: ObjectMeta, scope: Scope, path: FieldPath): FieldError[] {
  const { labels, annotations, ownerReferences, finalizers, managedFields } = metadata;
  const errors = namespaceErrors(metadata, scope, path);
  addErrors(errors, generationErrors(metadata, path));
  if (labels !== undefined) addErrors(errors, validateLabels(labels, path.child('labels')));
  if (annotations !== undefined) addErrors(errors, validateAnnotations(annotations, path.child('annotations')));
  if (ownerReferences !== undefined)
    addErrors(errors, validateOwnerReferences(ownerReferences, path.child('ownerReferences')));
  if (finalizers !== undefined) addErrors(errors, validateFinalizers(finalizers, path.child('finalizers')));
  if (managedFields !== undefined) addErrors(errors, validateManagedFields(managedFields, path));
  return errors;
}

/** Returns the errors in the metadata of an object that replaces `previous`. */
export function validateObjectMetaUpdate(
  next: ObjectMeta,
  previous: ObjectMeta,
  rules: ObjectMetaUpdateRules = {},
): FieldError[] {
  const path = rules.path ?? METADATA;
  return [
    ...(previous.deletionTimestamp ? newFinalizerErrors(next, previous, path.child('finalizers')) : []),
    ...(next.resourceVersion ? [] : [invalid(path.child('resourceVersion'), '', 'must be specified for an update')]),
    ...((next.generation ?? 0) < (previous.generation ?? 0)
      ? [invalid(path.child('generation'), next.generation ?? 0, 'must not be decremented')]
      : []),
    ...identityErrors(next, previous, path),
    ...(rules.isContentValid ? [] : changeableErrors(next, path)),
    ...(rules.standardFinalizers ? standardFinalizerErrors(next.finalizers, path.child('finalizers')) : []),
  ];
}

/** Checks the fields that never change. */
function identityErrors(next: ObjectMeta, previous: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of immutableText) {
    if ((next[field] ?? '') === (previous[field] ?? '')) continue;
    errors.push(...immutableErrors(next[field] ?? '', previous[field] ?? '', path.child(field)));
  }
  for (const field of immutableOptional) {
    if ((next[field] ?? null) === (previous[field] ?? null)) continue;
    errors.push(...immutableErrors(next[field] ?? null, previous[field] ?? null, path.child(field)));
  }
  return errors;
}

function changeableErrors(next: ObjectMeta, path: FieldPath): FieldError[] {
  return [
    ...validateLabels(next.labels, path.child('labels')),
    ...validateAnnotations(next.annotations, path.child('annotations')),
    ...validateOwnerReferences(next.ownerReferences, path.child('ownerReferences')),
    ...validateManagedFields(next.managedFields ?? [], path),
  ];
}

const immutableText = ['name', 'namespace', 'uid'] as const;
const immutableOptional = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    if (isPlainLabel(key) && isPlainLabel(value)) continue;
    errors.push(...validateLabelKey(key, path));
    for (const problem of validateLabelValue(value)) errors.push(invalid(path, value, problem));
  }
  return errors;
}

export function validateLabelKey(key: string, path: FieldPath): FieldError[] {
  return validateQualifiedName(key).map((problem) => invalid(path, key, problem));
}

/** Keys are qualified names in letters of any case; values may be any text. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  if (annotations === undefined) return [];
  const entries = Object.entries(annotations);
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  const errors: FieldError[] = [];
  for (const [key] of entries) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    for (const problem of validateQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, problem));
  }
  if (bytes > annotationsMaxBytes) errors.push(tooLong(path, annotationsMaxBytes));
  return errors;
}

export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const finalizer of finalizers ?? []) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    for (const problem of validateQualifiedName(finalizer)) errors.push(invalid(path, finalizer, problem));
  }
  if (finalizers?.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  return errors;
}

/** Returns one error when the two differ. Values are text, numbers or `null` for absent. */
export function immutableErrors(
  next: string | number | null,
  previous: string | number | null,
  path: FieldPath,
): FieldError[] {
  return next === previous ? [] : [invalid(path, next, 'field is immutable')];
}

function nameErrors({ name, generateName }: ObjectMeta, nameRule: NameRule, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: 'generateName' | 'name', text: string): void => {
    for (const problem of nameRule(text, field === 'generateName'))
      errors.push(invalid(path.child(field), text, problem));
  };
  if (generateName) check('generateName', generateName);
  if (name) check('name', name);
  else errors.push(required(path.child('name'), 'name or generateName is required'));
  return errors;
}

function namespaceErrors({ namespace }: ObjectMeta, scope: Scope, path: FieldPath): FieldError[] {
  if (scope === 'Cluster') return namespace ? [forbidden(path.child('namespace'), 'not allowed on this type')] : [];
  if (!namespace) return [required(path.child('namespace'))];
  return dns1123LabelName(namespace, false).map((problem) => invalid(path.child('namespace'), namespace, problem));
}

function generationErrors({ generation = 0 }: ObjectMeta, path: FieldPath): FieldError[] {
  return generation < 0 ? [invalid(path.child('generation'), generation, 'must be greater than or equal to 0')] : [];
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function standardFinalizerErrors(finalizers: readonly string[] = [], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const problem = 'name is neither a standard finalizer name nor is it fully qualified';
  for (const [index, finalizer] of finalizers.entries()) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    if (finalizer.includes('/') || standardFinalizers.has(finalizer)) continue;
    errors.push(invalid(path.index(index), finalizer, problem));
  }
  return errors;
}

function newFinalizerErrors(next: ObjectMeta, previous: ObjectMeta, path: FieldPath): FieldError[] {
  const known = new Set(previous.finalizers);
  const added = [...new Set(next.finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return [];
  const listed = `[]string{${added.map(quote).join(', ')}}`;
  return [
    forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${listed}`),
  ];
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[], metadata: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!isPlainEntry(entry))
      errors.push(...managedFieldsEntryErrors(entry, metadata.child('managedFields').index(index)));
  }
  return errors;
}

function isPlainEntry({ operation, fieldsType, manager = '', subresource = '' }: ManagedFieldsEntry): boolean {
  const isKnown = (operation === 'Apply' || operation === 'Update') && (!fieldsType || fieldsType === 'FieldsV1');
  return isKnown && PLAIN_MANAGER.test(manager) && PLAIN_MANAGER.test(subresource);
}

/** Names of managers that need no further check, as nearly all do. */
const PLAIN_MANAGER = /^[\x20-\x7e]{0,128}$/;

function managedFieldsEntryErrors(entry: ManagedFieldsEntry, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (entry.operation !== 'Apply' && entry.operation !== 'Update')
    errors.push(invalid(path.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
  if (entry.fieldsType && entry.fieldsType !== 'FieldsV1')
    errors.push(invalid(path.child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
  errors.push(...validateFieldManager(entry.manager ?? '', path.child('manager')));
  if (byteLength(entry.subresource ?? '') > 256) errors.push(tooLong(path.child('subresource'), 256));
  return errors;
}

/** Fields of metadata, in the order in which Kubernetes declares and prints them. */
export const metadataFields = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const satisfies readonly (keyof ObjectMeta)[];
