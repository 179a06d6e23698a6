import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, conflictError, invalid, invalidError, notFoundError } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import type { Operation } from '@pintle/store';
import type { ApiResponse } from '../../request/exchange.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { change as changing } from '../../resource/admission-request.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { writeContextOf } from '../../resource/endpoint.ts';
import { guardName } from '../../resource/guard-name.ts';
import { inTurns, refuseUnwanted } from '../../resource/in-turns.ts';
import { keepSystemMetadata } from '../../resource/object-metadata.ts';
import { readWriteOptions, type WriteOptions } from '../../resource/options.ts';
import type { Facade, ServedResource } from '../../resource/served-resource.ts';
import { groupKindOf, groupResourceOf } from '../../resource/served-resource.ts';
import {
  asWritten,
  findRecord,
  isKeptOtherwise,
  removeObject,
  toVersion,
  writeObject,
} from '../../storage/object-store.ts';
import { changeInTurn, MOVED } from '../../storage/turns.ts';
import { refuseMalformedVersion } from '../read/read-revision.ts';
import { answerObject, negotiateAnswer } from '../response/response.ts';
import { isReleased } from '../write/delete-plan.ts';
import { dedupOwners } from '../write/owner-references.ts';
import { foldOwned, keepIdleTimes, mutateOwned, recordOwners, showOwned, writeOwned } from '../write/ownership.ts';
import { decodeBody, refuseOtherKind } from '../write/read-body.ts';
import { checkChanged } from '../write/validate-metadata.ts';
import { checkFirst, createObject, settleNamespace } from './create.ts';

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export async function update(call: EndpointCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const form = negotiateAnswer(call);
  const object = await decodeBody(call, options.fieldValidation);
  settleNamespace(call, object);
  settleName(call, object);
  guardName(call.info.name);
  const { object: written, isNew } = await replace(call, object, options);
  return await answerObject(call, form, isNew ? 201 : 200, written);
}

/** An object that is written to a URL must say that URL's name. */
export function settleName(call: EndpointCall, { metadata }: KubernetesObject): void {
  const wanted = call.info.name;
  if (!metadata.name) {
    throw badRequestError(`the name of the object (${wanted} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== wanted) {
    throw badRequestError(`the name of the object (${metadata.name}) does not match the name on the URL (${wanted})`);
  }
}

async function replace(
  call: EndpointCall,
  object: KubernetesObject,
  options: WriteOptions,
): Promise<{ object: KubernetesObject; isNew: boolean }> {
  const { resource, info } = call;
  const isMain = info.subresource === '';
  const written = await changeObject(call, options, async (current) => {
    if (current === undefined) return undefined;
    checkUid(call, options, object, current);
    const copy = deepCopy(object);
    await call.pace.pause();
    return { object: copy };
  });
  if (written !== undefined) return { object: written, isNew: false };
  if (!isMain || !resource.rules.createOnUpdate) throw notFoundError(groupResourceOf(resource), info.name);
  if (object.metadata.uid) throw uidMismatch(call, options, object.metadata.uid, '');
  return { object: await createObject(call, object, options), isNew: true };
}

/**
 * The next state of an object. `isTracked`: it says already who owns its fields. `isSame`: no value was changed, and
 * none is to be: not even by defaults, which an object kept in another version may lack.
 */
export interface Changed {
  readonly object: KubernetesObject;
  readonly isTracked?: boolean;
  readonly isSame?: boolean;
}

/** Makes the next state of an object; asked again when the object moved meanwhile. `undefined`: there is none. */
type Change = (current: KubernetesObject | undefined) => Changed | undefined | Promise<Changed | undefined>;

/**
 * Reads the object, lets `change` make its next state, and writes that unless the object moved meanwhile, in which
 * case it begins again. Gives the object as stored; `undefined` when there is none and `change` did not mind.
 */
export async function changeObject(
  call: EndpointCall,
  options: WriteOptions,
  change: Change,
): Promise<KubernetesObject | undefined> {
  const { storage } = call.resource.facade?.of ?? call.resource;
  const key = [storage.group, storage.resource, call.info.namespace, call.info.name].join('/');
  const { store, clock, request } = call;
  const checkWanted = (): void => refuseUnwanted(request);
  return await changeInTurn({ store, clock, checkWanted }, key, () => tryChange(call, options, change));
}

async function tryChange(
  call: EndpointCall,
  options: WriteOptions,
  change: Change,
): Promise<KubernetesObject | undefined | typeof MOVED> {
  const { store, info } = call;
  const { facade } = call.resource;
  const resource = facade?.of ?? call.resource;
  const show = (object: KubernetesObject) => facade?.show(object) ?? object;
  const record = await findRecord(store, resource, info.namespace, info.name);
  call.pace.weigh(record?.value.length ?? 0);
  await call.pace.pause();
  const current = record && (await toVersion(resource, record, { isFresh: options.isDryRun }));
  await call.pace.pause();
  const before = current && (facade ? showOwned(facade, current.object) : current.object);
  const changed = await change(facade?.markUnset ? markedUnset(facade, current) : before);
  if (changed === undefined || current === undefined) return undefined;
  const admission = changing(call, changed.object, before!, options);
  const prepared = { ...changed, current: current.object };
  const { next, companions } = await prepareNext({ ...call, resource }, options, admission, prepared);
  admission.object = show(next);
  // Those who only look see both as they are shown, without those who own them.
  if (facade !== undefined) admission.oldObject = show(current.object);
  await call.pace.pause();
  await call.admission.validate(admission);
  await call.pace.pause();
  const isGone = isReleased(resource, next);
  if (isUnchanged(next, current.object) && !(await isKeptOtherwise(resource, current))) return show(current.object);
  if (options.isDryRun) {
    const { resourceVersion } = current.object.metadata;
    const written = await asWritten(resource, next);
    return show({ ...written, metadata: { ...written.metadata, resourceVersion: resourceVersion! } });
  }
  const also = [...companions, ...(await call.admission.settle(admission))];
  await call.pace.pause();
  const kept = facade?.prune?.(next) ?? next;
  const outcome = isGone
    ? await removeObject(store, current.record, { also })
    : await writeOwned(kept, { isApplied: changed.isTracked ?? false }, () =>
        writeObject(store, resource, kept, current.record.modRevision, { also }),
      );
  if ('refused' in outcome) return MOVED;
  return show('object' in outcome ? outcome.object : kept);
}

function markedUnset(facade: Facade, current: { object: KubernetesObject } | undefined): KubernetesObject | undefined {
  if (current === undefined) return undefined;
  const shown = showOwned(facade, current.object);
  facade.markUnset?.(shown, current.object);
  return shown;
}

/** The object as it will be stored, if it is valid and nobody minds. `call` is of the resource that is stored. */
async function prepareNext(
  call: EndpointCall,
  options: WriteOptions,
  admission: AdmissionRequest,
  { isTracked = false, isSame = false, current }: Omit<Changed, 'object'> & { readonly current: KubernetesObject },
): Promise<{ readonly next: KubernetesObject; readonly companions: readonly Operation[] }> {
  const { call: request, oldObject } = admission;
  const { facade, rules } = request.resource;
  if (!isSame) rules.default?.(admission.object!, call.pace);
  await call.pace.pause();
  if (!isTracked) await recordOwners(request, options, admission.object!, oldObject);
  await mutateOwned(admission);
  const next = facade === undefined ? admission.object! : foldOwned(facade, admission.object!, current);
  // Only now: what admission makes of the version counts as if it had been sent, and what it refuses is told first.
  try {
    checkSentVersion(request, admission.object!, current);
  } catch (error) {
    // What cannot be made into the version it is kept in is refused for that.
    await asWritten(call.resource, { ...next, metadata: { ...next.metadata, uid: current.metadata.uid! } });
    throw error;
  }
  settleNamespace(call, next);
  return { next, companions: await settleNext(call, options, next, current) };
}

/** Makes `next` what will be stored and gives the writes that go with it. */
async function settleNext(
  call: EndpointCall,
  options: WriteOptions,
  next: KubernetesObject,
  current: KubernetesObject,
): Promise<readonly Operation[]> {
  const { resource, info } = call;
  const { rules } = resource;
  dedupOwners(next, call.warnings, { isAdmitted: true });
  keepSystemMetadata(next.metadata, current.metadata);
  // It is left out where objects are written, which a dry run does not come to.
  if (!options.isDryRun) delete next.metadata.selfLink;
  const rememberEmptyLists = resource.forgetEmptyLists?.(next);
  const subresource = info.subresource === '' ? undefined : rules.subresources?.[info.subresource];
  (subresource ?? rules).prepareForUpdate?.(next, current, writeContextOf(call));
  if (subresource === undefined) checkFirst(call, next, current);
  const stays = isReleased(resource, next) ? undefined : next;
  const companions = (await resource.companions?.settle(call, stays, current, options)) ?? [];
  await call.pace.pause();
  const covered = (object: KubernetesObject): unknown => rules.generationCovers?.(object) ?? contentOf(object);
  const isChanged = rules.tracksGeneration && !deepEqual(covered(next), covered(current));
  const sent = call.sentEmpties.restore(next, current, info.subresource);
  if (isChanged || (rules.countsEmptyAsChange && sent.count > 0)) {
    next.metadata.generation = (current.metadata.generation ?? 0) + 1;
  }
  next.metadata.resourceVersion = current.metadata.resourceVersion!;
  await call.pace.pause();
  keepIdleTimes(next, current);
  await call.pace.pause();
  // What is wrong with an object is told of it as it was sent.
  rememberEmptyLists?.();
  if (resource.isCustom) refuseOtherKind(resource, next);
  const checks = subresource ?? rules;
  const { metadataChecks } = checks;
  const found = checks.validateInSteps
    ? await inTurns(checks.validateInSteps(next, sent.previous), call.clock)
    : (checks.validateUpdate?.(next, sent.previous) ?? []);
  sent.forget();
  for (const warning of checks.tolerated?.(next) ?? []) call.warnings.add(warning);
  await call.pace.pause();
  const around = (await resource.checkSurroundings?.(call, next, current)) ?? [];
  const errors = checkChanged(next.metadata, current.metadata, resource, {
    ...(metadataChecks && { metadataChecks }),
    findings: [...around, ...found],
  });
  // Called by the name it would have: admission may have tried to give it another, or none.
  if (errors.length > 0) throw invalidError(groupKindOf(resource), next.metadata.name ?? '', errors);
  await call.pace.pause();
  for (const warning of checks.warnings?.(next, current) ?? []) call.warnings.add(warning);
  resource.forgetEmptyLists?.(next);
  return companions;
}

/** What the author of an object decides: everything but metadata and status. */
function contentOf(object: KubernetesObject & { status?: unknown }): unknown {
  const { metadata: _metadata, status: _status, ...content } = object;
  return content;
}

function isUnchanged(next: KubernetesObject, current: KubernetesObject): boolean {
  return deepEqual(next, current);
}

/** A resourceVersion must be the current one; most kinds do without. */
function checkSentVersion(call: EndpointCall, sent: KubernetesObject, current: KubernetesObject): void {
  const { resource, info } = call;
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

function checkUid(call: EndpointCall, options: WriteOptions, sent: KubernetesObject, current: KubernetesObject): void {
  const { uid } = sent.metadata;
  if (uid && uid !== current.metadata.uid) throw uidMismatch(call, options, uid, current.metadata.uid ?? '');
}

/** Their objects are kept, and spoken of, under the group's name. */
const EXTENSION_GROUPS = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** Kinds that are spoken of by the name under which they were first kept. */
const FORMER_NAMES: Readonly<Record<string, string>> = table({
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  services: 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
});

function keptUnder({ type, isCustom }: ServedResource): string {
  if (isCustom || EXTENSION_GROUPS.has(type.group)) return `${type.group}/${type.plural}`;
  return FORMER_NAMES[type.group === '' ? type.plural : `${type.group}/${type.plural}`] ?? type.plural;
}

/** A dry run gets as far as the store, but not to where the store keeps things. */
function uidMismatch(call: EndpointCall, { isDryRun }: WriteOptions, wanted: string, found: string): Error {
  const { resource, info } = call;
  const parts = [isDryRun ? '/' : '/registry/', keptUnder(resource.facade?.of ?? resource), info.namespace, info.name];
  const key = parts
    .filter((part) => part !== '')
    .join('/')
    .replace('//', '/');
  return conflictError(
    groupResourceOf(resource),
    info.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}
