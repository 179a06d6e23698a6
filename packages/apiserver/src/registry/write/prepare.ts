import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, conflictError, invalid, invalidError, required } from '@pintle/machinery/errors';
import { canonicalJson, deepEqual } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Warnings } from '../../request/pipeline.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { writeContextOf } from '../../resource/endpoint.ts';
import { fillNewMetadata, restoreSystemMetadata } from '../../resource/object-metadata.ts';
import { groupKindOf, groupResourceOf } from '../../resource/served-resource.ts';
import { asStored } from '../../storage/object-store.ts';
import { refuseMalformedVersion } from '../read/read-revision.ts';
import { isReleased } from './delete-plan.ts';
import { mergeOwned } from './ownership.ts';
import { restoreEmpties } from './restore-empties.ts';
import type { NewObject, ObjectChange, ObjectWrite } from './write-state.ts';

export function applyDefaults({ context, desired }: ObjectWrite): void {
  if (!desired.isSame) context.resource.rules.default?.(desired.object, context.yielding);
}

/** Sets the fields that only the server decides. */
export function prepareNew(write: NewObject): void {
  const { context, next } = write;
  const { resource } = context;
  if (!write.isPosted) dropResourceVersion(write);
  setNamespace(context, next);
  dedupOwners(next, context.warnings, { isAdmitted: true });
  write.isNameGenerated = !next.metadata.name && !!next.metadata.generateName;
  fillNewMetadata(next, resource, context);
  resource.rules.prepareForCreate?.(next, writeContextOf(context));
  checkFirst(context, next, undefined);
}

/** Drops the resourceVersion of an update that creates; a dry run returns it. */
function dropResourceVersion({ next: { metadata }, options }: NewObject): void {
  refuseMalformedVersion(metadata.resourceVersion ?? '');
  if (!options.isDryRun) delete metadata.resourceVersion;
}

/** Merges a changed view, such as a Scale, into the stored object. */
export function mergeIntoStored(write: ObjectChange): void {
  const { scaleView } = write.context.resource;
  if (scaleView !== undefined) write.next = mergeOwned(scaleView, write.next, write.current.object);
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Compares the resourceVersion with the current one; most kinds do not require it. Runs after admission: a version set
 * there counts, and a refusal there comes first.
 */
export function refuseStaleVersion({ context, stored, next, admission, current }: ObjectChange): Eventual<void> {
  try {
    checkSentVersion(context, admission.object!, current.object);
  } catch (error) {
    // An object that cannot be converted to its storage version is refused for that first.
    const { uid } = current.object.metadata;
    const converted = asStored(stored.resource, { ...next, metadata: { ...next.metadata, uid: uid! } });
    return converted.then(() => {
      throw error;
    });
  }
}

function checkSentVersion({ resource, info }: RequestContext, sent: KubernetesObject, current: KubernetesObject): void {
  const { resourceVersion = '' } = sent.metadata;
  refuseMalformedVersion(resourceVersion);
  if (resourceVersion === '' || resourceVersion === '0') {
    if (resource.rules.unconditionalUpdate ?? true) return;
    const kind = { group: resource.type.group, kind: resource.type.plural };
    throw invalidError(kind, info.name, [invalid('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  if (resourceVersion !== current.metadata.resourceVersion) {
    throw conflictError(groupResourceOf(resource), info.name, MODIFIED);
  }
}

/** Restores the fields that a request cannot change. */
export function prepareChange(write: ObjectChange): void {
  const { stored, next, current, options } = write;
  const { resource } = stored;
  setNamespace(stored, next);
  dedupOwners(next, stored.warnings, { isAdmitted: true });
  restoreSystemMetadata(next.metadata, current.object.metadata);
  // It is dropped when objects are written, which a dry run does not do.
  if (!options.isDryRun) delete next.metadata.selfLink;
  write.restoreEmptyLists = resource.stripEmptyLists?.(next);
  const rules = rulesOf(stored);
  rules.prepareForUpdate?.(next, current.object, writeContextOf(stored));
  if (rules === resource.rules) checkFirst(stored, next, current.object);
}

/** Returns the rules of the subresource, if it has any, or of the kind. */
export function rulesOf({ resource: { rules }, info: { subresource } }: RequestContext): ResourceRules {
  return (subresource === '' ? undefined : rules.subresources?.[subresource]) ?? rules;
}

/** Fills in the values that the server allocates, and returns the claims with those that release former values. */
export async function claim(write: ObjectWrite): Promise<void> {
  const { stored, next, current, options } = write;
  const { allocator } = stored.resource;
  if (allocator === undefined) return;
  const isGoing = current !== undefined && isReleased(stored.resource, next);
  write.claims = await allocator.allocate(stored, isGoing ? undefined : next, current?.object, options);
}

/** Increments the generation when anything but metadata and status has changed. */
export function countGeneration(write: ObjectChange): void {
  const { stored, next, desired } = write;
  const { rules } = stored.resource;
  const current = write.current.object;
  const covered = (object: KubernetesObject): unknown => rules.generationCovers?.(object) ?? contentOf(object);
  const isChanged = rules.tracksGeneration && !deepEqual(covered(next), covered(current));
  write.restored = restoreEmpties(desired.emptied, next, current, stored.info.subresource);
  if (isChanged || (rules.countsEmptyAsChange && write.restored.count > 0)) {
    next.metadata.generation = (current.metadata.generation ?? 0) + 1;
  }
  next.metadata.resourceVersion = current.metadata.resourceVersion!;
}

/** Removes the empty lists that are not stored. */
export function stripEmptyLists({ stored, next }: ObjectWrite): void {
  stored.resource.stripEmptyLists?.(next);
}

/** Returns everything but metadata and status. */
function contentOf(object: KubernetesObject & { status?: unknown }): unknown {
  const { metadata: _metadata, status: _status, ...content } = object;
  return content;
}

/** Throws the errors that are checked before the server allocates anything. */
function checkFirst(
  { resource }: RequestContext,
  next: KubernetesObject,
  previous: KubernetesObject | undefined,
): void {
  const errors = resource.rules.validateFirst?.(next, previous) ?? [];
  if (errors.length > 0) throw invalidError(groupKindOf(resource), next.metadata.name ?? '', errors);
}

/** Sets the namespace of the path. The body may repeat it. Cluster-scoped objects have none. */
export function setNamespace({ resource, info }: RequestContext, { metadata }: KubernetesObject): void {
  if (resource.type.scope === 'Cluster') {
    delete metadata.namespace;
    return;
  }
  if (info.isNamespaceEmpty) {
    throw invalidError(groupKindOf(resource), metadata.name ?? '', [required('metadata.namespace')]);
  }
  metadata.namespace ||= info.namespace;
  if (metadata.namespace !== info.namespace) {
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Throws unless the object has the name of the path. */
export function checkName({ info }: RequestContext, { metadata }: KubernetesObject): void {
  const wanted = info.name;
  if (!metadata.name) {
    throw badRequestError(`the name of the object (${wanted} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== wanted) {
    throw badRequestError(`the name of the object (${metadata.name}) does not match the name on the URL (${wanted})`);
  }
}

const ADVICE =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';

/** Removes duplicate owner references and warns of them. `isAdmitted`: admission may have added them. */
export function dedupOwners(
  { metadata }: KubernetesObject,
  warnings: Warnings,
  { isAdmitted = false }: { readonly isAdmitted?: boolean } = {},
): void {
  const { ownerReferences = [] } = metadata;
  if (ownerReferences.length < 2) return;
  const known = new Set<string>();
  const repeated: string[] = [];
  const owners = ownerReferences.filter((owner) => {
    const text = canonicalJson(owner);
    const isNew = !known.has(text);
    if (isNew) known.add(text);
    else repeated.push(owner.uid);
    return isNew;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = owners;
  const where = `.metadata.ownerReferences contains duplicate entries${isAdmitted ? ' after mutating admission happens' : ''}`;
  warnings.add(`${where}; ${ADVICE}; duplicate UID(s) observed: ${repeated.join(', ')}`);
}
