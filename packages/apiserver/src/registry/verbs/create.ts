import type { KubernetesObject } from '@pintle/machinery';
import {
  alreadyExistsError,
  badRequestError,
  forbiddenError,
  generateNameConflictError,
  invalidError,
  required,
  StatusError,
  unclassifiedError,
} from '@pintle/machinery/errors';
import type { Revision } from '@pintle/store';
import type { ApiResponse } from '../../request/exchange.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { creation } from '../../resource/admission-request.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { writeContextOf } from '../../resource/endpoint.ts';
import { inTurns, refuseUnwanted } from '../../resource/in-turns.ts';
import { fillNewMetadata, forgetSystemMetadata, generateName } from '../../resource/object-metadata.ts';
import { readWriteOptions, type WriteOptions } from '../../resource/options.ts';
import { groupKindOf, groupResourceOf } from '../../resource/served-resource.ts';
import type { WriteOutcome } from '../../storage/object-store.ts';
import { asWritten, findObject, findRecord, writeObject } from '../../storage/object-store.ts';
import { changeInTurn, MOVED } from '../../storage/turns.ts';
import { refuseMalformedVersion } from '../read/read-revision.ts';
import { answerObject, negotiateAnswer } from '../response/response.ts';
import { authorizeCreation } from '../write/authorize-creation.ts';
import { guardNamespace } from '../write/namespace-guard.ts';
import { dedupOwners } from '../write/owner-references.ts';
import { mutateOwned, recordOwners, writeOwned } from '../write/ownership.ts';
import { decodeBody, refuseOtherKind } from '../write/read-body.ts';
import { checkNew } from '../write/validate-metadata.ts';

/** How often a made-up name may turn out to be taken. */
const GENERATED_NAME_TRIES = 8;
const MAX_VERSION = 2n ** 64n - 1n;
const ABSENT = 0 as Revision;

export async function create(call: EndpointCall): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, 'CreateOptions');
  const form = negotiateAnswer(call);
  const object = await decodeBody(call, options.fieldValidation);
  settleNamespace(call, object);
  forgetSystemMetadata(object.metadata);
  const created = await createObject(call, object, options, { isPosted: true });
  return await answerObject(call, form, 201, created);
}

interface Creation {
  /** It says already who owns its fields. */
  readonly isTracked?: boolean;
  /** Sent as new: it must not come from somewhere in history, and only a dry run gets past that. */
  readonly isPosted?: boolean;
}

/** Stores a new object and gives it back as stored. `sent` is changed in place. */
export async function createObject(
  call: EndpointCall,
  sent: KubernetesObject,
  options: WriteOptions,
  { isTracked = false, isPosted = false }: Creation = {},
): Promise<KubernetesObject> {
  const { resource } = call;
  const { rules } = resource;
  rules.default?.(sent, call.pace);
  await call.pace.pause();
  if (!isTracked) await recordOwners(call, options, sent, undefined);
  let guards = await guardNamespace(call, sent.metadata.name ?? '');
  refuseCreation(call, sent);
  const admission = creation(call, sent, options);
  await mutateOwned(admission);
  const object = admission.object!;
  if (!isPosted) forgetVersion(object, options);
  settleNamespace(call, object);
  dedupOwners(object, call.warnings, { isAdmitted: true });
  const isNameGenerated = !object.metadata.name && !!object.metadata.generateName;
  fillNewMetadata(object, resource, call);
  rules.prepareForCreate?.(object, writeContextOf(call));

  let attempt = 1;
  const settleCompanions = async () => (await resource.companions?.settle(call, object, undefined, options)) ?? [];
  checkFirst(call, object, undefined);
  let also = await settleCompanions();
  await admitNew(call, object, admission);
  const tryToStore = async (): Promise<KubernetesObject | typeof MOVED> => {
    const name = object.metadata.name ?? '';
    if (attempt > 1) {
      guards = await guardNamespace(call, name);
      also = await settleCompanions();
    }
    attempt++;
    if (isPosted && !options.isDryRun) refuseVersion(object);
    resource.forgetEmptyLists?.(object);
    await call.pace.pause();
    const extra = options.isDryRun ? [] : await call.admission.settle(admission);
    const outcome = options.isDryRun
      ? await tryCreate(call, object)
      : await writeOwned(object, { isApplied: isTracked }, () =>
          writeObject(call.store, resource, object, ABSENT, { guards, also: [...also, ...extra] }),
        );
    if ('object' in outcome) return outcome.object;
    if (outcome.refused === 'guard') return MOVED;
    if (!isNameGenerated) throw await taken(call, name);
    if (attempt > GENERATED_NAME_TRIES) throw generateNameConflictError(groupResourceOf(resource), name);
    object.metadata.name = generateName(object.metadata.generateName!, call.random);
    return MOVED;
  };
  const { store, clock, request, info } = call;
  const checkWanted = (): void => refuseUnwanted(request);
  // The objects of a namespace share its quotas, which every creation changes.
  return await changeInTurn({ store, clock, checkWanted }, `creations in ${info.namespace}`, tryToStore);
}

/** Who would have changed an object may name its version, though there is none; a dry run gives it back. */
function forgetVersion({ metadata }: KubernetesObject, { isDryRun }: WriteOptions): void {
  refuseMalformedVersion(metadata.resourceVersion ?? '');
  if (!isDryRun) delete metadata.resourceVersion;
}

/** Admission may have set it, if not the client. What is no version at all does not count as one. */
function refuseVersion({ metadata: { resourceVersion = '' } }: KubernetesObject): void {
  const digits = /^0*([1-9]\d{0,19})$/.exec(resourceVersion)?.[1];
  if (digits === undefined || BigInt(digits) > MAX_VERSION) return;
  throw unclassifiedError(500, 'resourceVersion should not be set on objects to be created');
}

function refuseCreation({ resource }: EndpointCall, { metadata }: KubernetesObject): void {
  const why = resource.whyNoneCanBeCreated?.();
  if (why !== undefined) throw forbiddenError(groupResourceOf(resource), metadata.name ?? '', why);
}

async function admitNew(call: EndpointCall, object: KubernetesObject, admission: AdmissionRequest): Promise<void> {
  await call.pace.pause();
  await validateNew(call, object);
  await call.pace.pause();
  if (call.info.verb !== 'create') await authorizeCreation(call);
  admission.name ||= object.metadata.name ?? '';
  await call.admission.validate(admission);
}

/** Throws what has to be settled before the server chooses anything for an object. */
export function checkFirst(
  { resource }: EndpointCall,
  next: KubernetesObject,
  previous: KubernetesObject | undefined,
): void {
  const errors = resource.rules.validateFirst?.(next, previous) ?? [];
  if (errors.length > 0) throw invalidError(groupKindOf(resource), next.metadata.name ?? '', errors);
}

async function validateNew(call: EndpointCall, object: KubernetesObject): Promise<void> {
  if (call.resource.isCustom) refuseOtherKind(call.resource, object);
  const { rules } = call.resource;
  const { forget } = call.sentEmpties.restore(object, undefined, '');
  const found = rules.validateInSteps
    ? await inTurns(rules.validateInSteps(object, undefined), call.clock)
    : (rules.validate?.(object) ?? []);
  forget();
  await call.pace.pause();
  const around = (await call.resource.checkSurroundings?.(call, object, undefined)) ?? [];
  const errors = [...around, ...checkNew(object.metadata, call.resource, found)];
  if (errors.length > 0) throw invalidError(groupKindOf(call.resource), object.metadata.name ?? '', errors);
  await call.pace.pause();
  for (const warning of rules.warnings?.(object, undefined) ?? []) call.warnings.add(warning);
}

/** What a write would meet, without writing. */
async function tryCreate(call: EndpointCall, object: KubernetesObject): Promise<WriteOutcome> {
  const found = await findRecord(call.store, call.resource, call.info.namespace, object.metadata.name ?? '');
  if (found !== undefined) return { refused: 'taken' };
  const { resourceVersion } = object.metadata;
  const written = await asWritten(call.resource, object);
  if (resourceVersion) written.metadata.resourceVersion = resourceVersion;
  return { object: written };
}

async function taken(call: EndpointCall, name: string): Promise<StatusError> {
  const error = alreadyExistsError(groupResourceOf(call.resource), name);
  const holder = await findObject(call.store, call.resource, call.info.namespace, name);
  if (holder?.object.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** The namespace comes from the URL; a body may repeat it. Cluster-scoped objects have none. */
export function settleNamespace(call: EndpointCall, object: KubernetesObject): void {
  const { metadata } = object;
  if (call.resource.type.scope === 'Cluster') {
    delete metadata.namespace;
    return;
  }
  if (call.info.isNamespaceEmpty) {
    const missing = required('metadata.namespace');
    throw invalidError(groupKindOf(call.resource), metadata.name ?? '', [missing]);
  }
  metadata.namespace ??= call.info.namespace;
  if (metadata.namespace === '') metadata.namespace = call.info.namespace;
  if (metadata.namespace !== call.info.namespace) {
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  }
}
