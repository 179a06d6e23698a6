import type { ObjectMeta } from '@pintle/machinery';
import { FieldPath, forbidden, formatJson, invalid, isPrintable, required } from '@pintle/machinery/errors';
import { deepEqual, type JsonObject } from '@pintle/machinery/json';
import { byteLength, validateDns1035Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from '../../../generated/apiextensions/v1.ts';
import { type Check, checkChoice, checkRequired, checkUnchanged } from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { checkBundle, checkWebhookClient, isReadable, swappedFields } from '../../common/webhook-client.ts';
import { APPROVAL_ANNOTATION, approvalOf, isProtectedGroup } from './api-approval.ts';
import {
  checkSchema,
  checkSelectableFields,
  keepsTooMany,
  type SlowCheck,
  schemaOf,
  schemaSizeProblem,
} from './definition-schemas.ts';
import { goSchema } from './go-schema.ts';

const path = FieldPath.of('spec');
const emptySpec: CustomResourceDefinitionSpec = { group: '', names: { kind: '', plural: '' }, scope: '', versions: [] };

/** Checks names, group, scope, versions, schemas and conversion. */
export function* checkDefinition({ metadata, spec = emptySpec, status }: CustomResourceDefinition): SlowCheck {
  yield* checkOwnName(metadata, `${spec.names.plural}.${spec.group}`);
  yield* checkSpec(spec, { mustKnowReview: true, mustTrustBundle: false, mayPreserve: false });
  yield* checkStoredVersions(status?.storedVersions ?? [], spec.versions ?? []);
  yield* checkApproval(metadata, spec.group);
}

function* checkOwnName({ name, generateName }: ObjectMeta, wanted: string): Check {
  const detail = 'must be spec.names.plural+"."+spec.group';
  if (generateName) yield invalid('metadata.generateName', generateName, detail);
  if (name && name !== wanted) yield invalid('metadata.name', name, detail);
}

function* checkApproval({ annotations }: ObjectMeta, group: string): Check {
  if (!isProtectedGroup(group)) return;
  const { state, reason } = approvalOf(annotations);
  const at = FieldPath.of('metadata', 'annotations').key(APPROVAL_ANNOTATION);
  if (state === 'missing') yield required(at, reason);
  else if (state === 'invalid') yield invalid(at, annotations?.[APPROVAL_ANNOTATION], reason);
}

export function* checkDefinitionUpdate(next: CustomResourceDefinition, previous: CustomResourceDefinition): SlowCheck {
  const { spec, status } = next;
  const former = previous.spec;
  const isEstablished = isTrue(previous, 'Established');
  yield* checkSpec(spec, {
    mustKnowReview: reviewVersionsOf(former).length === 0 || hasKnownReview(reviewVersionsOf(former)),
    mustTrustBundle: isEstablished && isReadable(bundleOf(former)),
    mayPreserve: former.preserveUnknownFields === true,
    former,
  });
  if (isEstablished) {
    yield* checkUnchanged(path.child('scope'), spec.scope, former.scope);
    yield* checkUnchanged(path.child('names', 'kind'), spec.names.kind, former.names.kind);
  }
  yield* checkUnchanged(path.child('group'), spec.group, former.group);
  yield* checkUnchanged(path.child('names', 'plural'), spec.names.plural, former.names.plural);
  yield* checkStoredVersions(status?.storedVersions ?? [], spec.versions ?? []);
  const [state, before] = [next, previous].map(({ metadata }) => approvalOf(metadata.annotations).state);
  if (state !== before) yield* checkApproval(next.metadata, spec.group);
}

function isTrue({ status }: CustomResourceDefinition, wanted: string): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
}

/** Errors that the stored definition already has are tolerated while it does not change. */
interface Strictness {
  readonly mustKnowReview: boolean;
  readonly mustTrustBundle: boolean;
  readonly mayPreserve: boolean;
  readonly former?: CustomResourceDefinitionSpec;
}

function* checkSpec(spec: CustomResourceDefinitionSpec, strictness: Strictness): SlowCheck {
  yield* checkGroup(spec.group);
  yield* checkChoice(path.child('scope'), spec.scope, ['Cluster', 'Namespaced']);
  yield* checkSchemasPresent(spec);
  const burden = schemaSizeProblem(spec);
  if (burden !== undefined) {
    yield forbidden(path.child('versions'), burden);
    return;
  }
  yield* checkVersions(spec, strictness);
  const { names } = spec;
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    yield* checkRequired(path.child('names', field), names[field]);
  yield* checkNames(names, path.child('names'));
  yield* checkShared(spec, strictness);
  const strategy = spec.conversion?.strategy ?? '';
  if (spec.conversion !== undefined && strategy !== 'None' && spec.preserveUnknownFields)
    yield invalid(path.child('conversion', 'strategy'), strategy, 'must be None if spec.preserveUnknownFields is true');
  yield* checkConversion(spec.conversion, strictness);
  if (spec.preserveUnknownFields && !strictness.mayPreserve)
    yield invalid(
      path.child('preserveUnknownFields'),
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
}

/** Checks what all versions have in common, at the top of the definition. */
function* checkShared(spec: CustomResourceDefinitionSpec, { former }: Strictness): SlowCheck {
  const [first] = spec.versions ?? [];
  if (first === undefined) return;
  const schema = areShared(spec, 'schema') ? schemaOf(first) : undefined;
  const hasStatus = spec.versions.some(({ subresources }) => subresources?.status !== undefined);
  if (schema !== undefined && !isKnownGood(schema, hasStatus, former)) {
    yield* checkSchema(schema, path.child('validation'), hasStatus);
  }
  if (areShared(spec, 'subresources')) yield* checkSubresources(first.subresources, path);
  if (areShared(spec, 'additionalPrinterColumns')) yield* checkColumns(first.additionalPrinterColumns ?? [], path);
  if (!first.selectableFields?.length || !areShared(spec, 'selectableFields')) return;
  const at = path.child('selectableFields');
  if (schema === undefined) yield invalid(at, '', 'may only be set when validations.schema is included');
  else yield* checkSelectableFields(first.selectableFields, schema, at, { allowsTooMany: keepsTooMany(first, former) });
}

/**
 * True for a schema that a stored version has and is served with: it is not validated again. Empty values at its root
 * were not stored, and so not served.
 */
function isKnownGood(
  schema: JsonObject,
  hasStatus: boolean,
  former: CustomResourceDefinitionSpec | undefined,
): boolean {
  if (Object.values(schema).some(isEmpty)) return false;
  return (former?.versions ?? []).some(
    (version) => (version.subresources?.status !== undefined || !hasStatus) && deepEqual(schemaOf(version), schema),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function* checkGroup(group: string): Check {
  const at = path.child('group');
  const wrong = validateDns1123Subdomain(group);
  if (!group) yield required(at);
  else if (wrong.length > 0) yield invalid(at, group, wrong.join(','));
  else if (!group.includes('.')) yield invalid(at, group, 'should be a domain with at least one dot');
}

/**
 * Kubernetes reports a field that is equal in all versions at the top of the definition: `spec.subresources` instead of
 * `spec.versions[0].subresources`.
 */
function areShared(spec: CustomResourceDefinitionSpec, field: keyof CustomResourceDefinitionVersion): boolean {
  const [first, ...more] = spec.versions ?? [];
  return first !== undefined && more.every((version) => deepEqual(orNone(version[field]), orNone(first[field])));
}

const shareable = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Shared = ReadonlySet<keyof CustomResourceDefinitionVersion>;

/** There may be thousands of versions: compares them once for all. */
function sharedFields(spec: CustomResourceDefinitionSpec): Shared {
  return new Set(shareable.filter((field) => areShared(spec, field)));
}

/** Returns `undefined` for an empty list. */
function orNone<T>(value: T): T | undefined {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function* checkSchemasPresent(spec: CustomResourceDefinitionSpec): Check {
  for (const [index, { schema }] of (spec.versions ?? []).entries())
    if (schema?.openAPIV3Schema === undefined)
      yield required(path.child('versions').index(index).child('schema', 'openAPIV3Schema'));
}

function* checkVersions(spec: CustomResourceDefinitionSpec, strictness: Strictness): SlowCheck {
  const at = path.child('versions');
  const versions = spec.versions ?? [];
  const shared = sharedFields(spec);
  for (const [index, version] of versions.entries()) yield* checkVersion(shared, version, at.index(index), strictness);
  const shown = () => spec.versions?.map((version) => goVersion(shared, version)) ?? null;
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    yield invalid(at, shown(), 'must contain unique version names');
  if (versions.filter(({ storage }) => storage).length !== 1)
    yield invalid(at, shown(), 'must have exactly one version marked as storage version');
  const [first] = versions;
  const wrong = first === undefined ? [] : validateDns1035Label(first.name);
  if (first?.name && wrong.length > 0) yield invalid(path.child('version'), first.name, wrong.join(','));
}

function* checkVersion(
  shared: Shared,
  version: CustomResourceDefinitionVersion,
  at: FieldPath,
  { former }: Strictness,
): SlowCheck {
  const wrong = validateDns1035Label(version.name);
  if (wrong.length > 0) yield invalid(at.child('name'), version.name, wrong.join(','));
  for (const problem of deprecationProblems(version))
    yield {
      ...invalid(at.child('deprecationWarning'), '', problem),
      body: `Invalid value: ${formatJson(version.deprecationWarning)}: ${problem}`,
    };
  const schema = shared.has('schema') ? undefined : schemaOf(version);
  const hasStatus = version.subresources?.status !== undefined;
  if (schema !== undefined && !isKnownGood(schema, hasStatus, former)) {
    yield* checkSchema(schema, at.child('schema'), hasStatus);
  }
  if (!shared.has('subresources')) yield* checkSubresources(version.subresources, at);
  if (!shared.has('additionalPrinterColumns')) yield* checkColumns(version.additionalPrinterColumns ?? [], at);
  if (!version.selectableFields?.length || shared.has('selectableFields')) return;
  const fields = at.child('selectableFields');
  if (schema === undefined) yield invalid(fields, '', NO_OWN_SCHEMA);
  else
    yield* checkSelectableFields(version.selectableFields, schema, fields, {
      allowsTooMany: keepsTooMany(version, former),
    });
}

const NO_OWN_SCHEMA = 'may only be set when `version.schema.openAPIV3Schema` is not included';

const maxWarningBytes = 256;

function deprecationProblems({ deprecated, deprecationWarning: warning }: CustomResourceDefinitionVersion): string[] {
  if (warning === undefined) return [];
  if (!deprecated) return ['can only be set for deprecated versions'];
  const found: string[] = [];
  if (byteLength(warning) > maxWarningBytes) found.push(`must be <= ${maxWarningBytes} characters long`);
  if (warning === '') found.push('must not be an empty string');
  let offset = 0;
  for (const character of warning) {
    if (!isPrintable(character)) {
      found.push(`must only contain printable UTF-8 characters; non-printable character found at index ${offset}`);
      break;
    }
    offset += byteLength(character);
  }
  return found;
}

/** Returns a version as Kubernetes prints its internal type, without the fields that all versions share. */
function goVersion(shared: Shared, version: CustomResourceDefinitionVersion): object {
  const { name, served, storage, deprecated = false, deprecationWarning = null } = version;
  const own = <F extends keyof CustomResourceDefinitionVersion>(field: F) =>
    shared.has(field) ? undefined : version[field];
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning,
    Schema: own('schema') === undefined ? null : { OpenAPIV3Schema: goSchemaOf(version) },
    Subresources: goSubresources(own('subresources')),
    AdditionalPrinterColumns: own('additionalPrinterColumns')?.map(goColumn) ?? null,
    SelectableFields: own('selectableFields')?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
  };
}

function goSchemaOf(version: CustomResourceDefinitionVersion): JsonObject | null {
  const schema = schemaOf(version);
  return schema === undefined ? null : goSchema(schema);
}

function goSubresources(subresources: CustomResourceDefinitionVersion['subresources']): object | null {
  if (subresources === undefined) return null;
  const { status, scale } = subresources;
  const paths = scale && {
    SpecReplicasPath: scale.specReplicasPath,
    StatusReplicasPath: scale.statusReplicasPath,
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
  return { Status: status === undefined ? null : {}, Scale: paths ?? null };
}

function goColumn(column: CustomResourceColumnDefinition): object {
  const { name, type, format = '', description = '', priority = 0, jsonPath } = column;
  return { Name: name, Type: type, Format: format, Description: description, Priority: priority, JSONPath: jsonPath };
}

export function* checkNames(names: Partial<CustomResourceDefinitionNames>, at: FieldPath): Check {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  for (const [field, name] of Object.entries({ plural, singular })) yield* checkName(at.child(field), name);
  for (const [field, name] of Object.entries({ kind, listKind })) {
    const wrong = name ? validateDns1035Label(name.toLowerCase()) : [];
    if (wrong.length > 0)
      yield invalid(at.child(field), name, `may have mixed case, but should otherwise match: ${wrong.join(',')}`);
  }
  for (const [index, name] of shortNames.entries()) yield* checkListedName(at.child('shortNames').index(index), name);
  if (kind && kind === listKind) yield invalid(at.child('listKind'), listKind, 'kind and listKind may not be the same');
  for (const [index, name] of categories.entries()) yield* checkListedName(at.child('categories').index(index), name);
}

function* checkName(at: FieldPath, name: string | undefined): Check {
  if (name) yield* checkListedName(at, name);
}

function* checkListedName(at: FieldPath, name: string): Check {
  const wrong = validateDns1035Label(name);
  if (wrong.length > 0) yield invalid(at, name, wrong.join(','));
}

function* checkSubresources(subresources: CustomResourceSubresources | undefined, parent: FieldPath): Check {
  const scale = subresources?.scale;
  if (scale === undefined) return;
  const at = (field: string) => parent.child('subresources', 'scale', field);
  yield* checkReplicasPath(scale.specReplicasPath, '.spec', at('specReplicasPath'));
  yield* checkReplicasPath(scale.statusReplicasPath, '.status', at('statusReplicasPath'));
  const selector = scale.labelSelectorPath;
  if (!selector) return;
  if (!selector.startsWith('.')) yield invalid(at('labelSelectorPath'), selector, notSimplePath);
  else if (!selector.startsWith('.spec.') && !selector.startsWith('.status.'))
    yield invalid(at('labelSelectorPath'), selector, 'should be a json path under either .spec or .status');
}

const notSimplePath = 'must be a simple json path starting with .';

function* checkReplicasPath(replicasPath: string, under: string, at: FieldPath): Check {
  if (!replicasPath) yield required(at);
  else if (!replicasPath.startsWith('.')) yield invalid(at, replicasPath, notSimplePath);
  else if (!replicasPath.startsWith(`${under}.`))
    yield invalid(at, replicasPath, `should be a json path under ${under}`);
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function* checkColumns(columns: readonly CustomResourceColumnDefinition[], parent: FieldPath): Check {
  for (const [index, { name, type, format, jsonPath }] of columns.entries()) {
    const at = parent.child('additionalPrinterColumns').index(index);
    yield* checkRequired(at.child('name'), name);
    const types = `must be one of ${columnTypes.join(',')}`;
    if (!type) yield required(at.child('type'), types);
    else if (!columnTypes.includes(type)) yield invalid(at.child('type'), type, types);
    if (format && !columnFormats.includes(format))
      yield invalid(at.child('format'), format, `must be one of ${columnFormats.join(',')}`);
    if (!jsonPath) yield required(at.child('JSONPath'));
    else if (!jsonPath.startsWith('.')) yield invalid(at.child('JSONPath'), jsonPath, notSimplePath);
  }
}

/** Kubernetes' internal type has the fields of `conversion.webhook` one level up, and errors name them there. */
function* checkConversion(
  conversion: CustomResourceConversion | undefined,
  { mustKnowReview, mustTrustBundle }: Strictness,
): Check {
  if (conversion === undefined) return;
  const at = path.child('conversion');
  yield* checkChoice(at.child('strategy'), conversion.strategy, ['None', 'Webhook']);
  const { clientConfig } = conversion.webhook ?? {};
  const versions = conversion.webhook?.conversionReviewVersions ?? [];
  if (conversion.strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (clientConfig !== undefined) yield forbidden(at.child('webhookClientConfig'), detail);
    if (versions.length > 0) yield forbidden(at.child('conversionReviewVersions'), detail);
    return;
  }
  if (clientConfig === undefined)
    yield required(at.child('webhookClientConfig'), 'required when strategy is set to Webhook');
  else yield* checkWebhookClient(clientConfig, at.child('webhookClientConfig'), swappedFields);
  if (mustTrustBundle) yield* checkBundle(clientConfig?.caBundle, at.child('webhookClientConfig', 'caBundle'));
  yield* checkReviewVersions(versions, mustKnowReview, at.child('conversionReviewVersions'));
}

function* checkReviewVersions(versions: readonly string[], mustKnow: boolean, at: FieldPath): Check {
  if (versions.length === 0) {
    yield required(at);
    return;
  }
  const isRepeated = repeats<string>();
  for (const [index, version] of versions.entries()) {
    if (isRepeated(version)) {
      yield invalid(at.index(index), version, 'duplicate version');
      continue;
    }
    for (const problem of validateDns1035Label(version)) yield invalid(at.index(index), version, problem);
  }
  if (mustKnow && !hasKnownReview(versions)) yield invalid(at, versions, 'must include at least one of v1, v1beta1');
}

function hasKnownReview(versions: readonly string[]): boolean {
  return versions.includes('v1') || versions.includes('v1beta1');
}

function bundleOf({ conversion }: CustomResourceDefinitionSpec): string | undefined {
  return conversion?.webhook?.clientConfig?.caBundle;
}

function reviewVersionsOf(spec: CustomResourceDefinitionSpec): readonly string[] {
  return spec.conversion?.webhook?.conversionReviewVersions ?? [];
}

/** Objects may be stored in every former storage version, so none can be removed. */
function* checkStoredVersions(stored: readonly string[], versions: readonly CustomResourceDefinitionVersion[]): Check {
  const at = FieldPath.of('status', 'storedVersions');
  if (stored.length === 0) yield invalid(at, null, 'must have at least one stored version');
  if (stored.length === 0) return;
  // Each name is found once only: a duplicate is reported as missing.
  const found = new Set<string>();
  for (const { name, storage } of versions) {
    if (storage && (found.has(name) || !stored.includes(name)))
      yield invalid(at, stored, `must have the storage version ${name}`);
    found.add(name);
  }
  for (const [index, name] of stored.entries())
    if (!found.has(name))
      yield invalid(
        at.index(index),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
}
