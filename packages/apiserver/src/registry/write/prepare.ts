import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, conflictError, invalid, invalidError, required } from '@pintle/machinery/errors';
import { canonicalJson, deepEqual } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Warnings } from '../../request/pipeline.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { writeContextOf } from '../../resource/endpoint.ts';
import { fillNewMetadata, keepSystemMetadata } from '../../resource/object-metadata.ts';
import { groupKindOf, groupResourceOf } from '../../resource/served-resource.ts';
import { asWritten } from '../../storage/object-store.ts';
import { refuseMalformedVersion } from '../read/read-revision.ts';
import { isReleased } from './delete-plan.ts';
import { foldOwned } from './ownership.ts';
import { restoreEmpties } from './sent-empties.ts';
import type { NewObject, ObjectChange, ObjectWrite } from './write-state.ts';

export function applyDefaults({ call, desired }: ObjectWrite): void {
  if (!desired.isSame) call.resource.rules.default?.(desired.object, call.yielding);
}

/** Sets what only the server decides about a new object. */
export function prepareNew(write: NewObject): void {
  const { call, next } = write;
  const { resource } = call;
  if (!write.isPosted) forgetVersion(write);
  setNamespace(call, next);
  dedupOwners(next, call.warnings, { isAdmitted: true });
  write.isNameGenerated = !next.metadata.name && !!next.metadata.generateName;
  fillNewMetadata(next, resource, call);
  resource.rules.prepareForCreate?.(next, writeContextOf(call));
  checkFirst(call, next, undefined);
}

/** A request that would have changed an object may name its version, though there is none; a dry run gives it back. */
function forgetVersion({ next: { metadata }, options }: NewObject): void {
  refuseMalformedVersion(metadata.resourceVersion ?? '');
  if (!options.isDryRun) delete metadata.resourceVersion;
}

/** The stored object with the change to the part of it that the resource shows. */
export function mergeIntoStored(write: ObjectChange): void {
  const { facade } = write.call.resource;
  if (facade !== undefined) write.next = foldOwned(facade, write.next, write.current.object);
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Compares the resourceVersion with the current one; most kinds do without. Comes after admission: what that makes of the
 * version counts as if it had been sent, and what it refuses is told first.
 */
export function refuseStaleVersion({ call, stored, next, admission, current }: ObjectChange): Eventual<void> {
  try {
    checkSentVersion(call, admission.object!, current.object);
  } catch (error) {
    // What cannot be made into the version it is stored in is refused for that.
    const { uid } = current.object.metadata;
    const converted = asWritten(stored.resource, { ...next, metadata: { ...next.metadata, uid: uid! } });
    return converted.then(() => {
      throw error;
    });
  }
}

function checkSentVersion({ resource, info }: EndpointCall, sent: KubernetesObject, current: KubernetesObject): void {
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

/** Keeps what the request cannot change. */
export function prepareChange(write: ObjectChange): void {
  const { stored, next, current, options } = write;
  const { resource } = stored;
  setNamespace(stored, next);
  dedupOwners(next, stored.warnings, { isAdmitted: true });
  keepSystemMetadata(next.metadata, current.object.metadata);
  // It is left out where objects are written, which a dry run does not come to.
  if (!options.isDryRun) delete next.metadata.selfLink;
  write.restoreEmptyLists = resource.forgetEmptyLists?.(next);
  const rules = rulesOf(stored);
  rules.prepareForUpdate?.(next, current.object, writeContextOf(stored));
  if (rules === resource.rules) checkFirst(stored, next, current.object);
}

/** The rules of the subresource that is written to, where it has any of its own, or of the kind. */
export function rulesOf({ resource: { rules }, info: { subresource } }: EndpointCall): ResourceRules {
  return (subresource === '' ? undefined : rules.subresources?.[subresource]) ?? rules;
}

/** Fills in what the server chooses for the object, claims that, and releases what the object had before. */
export async function claim(write: ObjectWrite): Promise<void> {
  const { stored, next, current, options } = write;
  const { companions } = stored.resource;
  if (companions === undefined) return;
  const isGoing = current !== undefined && isReleased(stored.resource, next);
  write.claims = await companions.settle(stored, isGoing ? undefined : next, current?.object, options);
}

/** Counts a change of what the author of the object decides. */
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

/** Leaves out the empty lists that are not stored. */
export function forgetEmptyLists({ stored, next }: ObjectWrite): void {
  stored.resource.forgetEmptyLists?.(next);
}

/** Everything but metadata and status. */
function contentOf(object: KubernetesObject & { status?: unknown }): unknown {
  const { metadata: _metadata, status: _status, ...content } = object;
  return content;
}

/** Throws what is looked at before the server chooses anything for an object. */
function checkFirst({ resource }: EndpointCall, next: KubernetesObject, previous: KubernetesObject | undefined): void {
  const errors = resource.rules.validateFirst?.(next, previous) ?? [];
  if (errors.length > 0) throw invalidError(groupKindOf(resource), next.metadata.name ?? '', errors);
}

/** Sets the namespace, which comes from the URL; a body may repeat it. Cluster-scoped objects have none. */
export function setNamespace({ resource, info }: EndpointCall, { metadata }: KubernetesObject): void {
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

/** An object that is written to a URL must have that URL's name. */
export function checkName({ info }: EndpointCall, { metadata }: KubernetesObject): void {
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

/** Leaves each owner of an object once and warns of the others. `isAdmitted`: admission may have added them. */
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
