import type { ApiResponse } from '@pintle/apiserver';
import { AdmissionChain } from '@pintle/apiserver/admission';
import {
  checkDeleteOptions,
  decodeBody,
  deleteObject,
  readBodyBytes,
  setNamespace,
  uncheckedDeleteOptions,
} from '@pintle/apiserver/registry';
import { alterRequest } from '@pintle/apiserver/request';
import type { DeleteOptions, Endpoints, RequestContext } from '@pintle/apiserver/resource';
import { creation, groupResourceOf, readWriteOptions } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { Pod } from '@pintle/kinds/core/v1';
import type { Eviction } from '@pintle/kinds/policy/v1';
import {
  badRequestError,
  conflictError,
  invalid,
  invalidError,
  isConflict,
  notFoundError,
  unclassifiedError,
} from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject, parseJson } from '@pintle/machinery/json';
import { spendDisruption, stillProcessed } from './disruption-budget.ts';
import { bodyOfKind, otherKind, successResponse } from './other-kind.ts';
import { setPodCondition } from './pod-condition.ts';
import { rewriteObject } from './rewrite-object.ts';

const EVICTION = otherKind({ group: 'policy', version: 'v1', kind: 'Eviction' });
/** Removed from the API, but older clients still send it. */
const FORMER_EVICTION = { ...EVICTION, type: { ...EVICTION.type, version: 'v1beta1', apiVersion: 'policy/v1beta1' } };

/** `pods/eviction`: deletes a pod unless a disruption budget forbids it. */
export const evictionEndpoints: Endpoints = { create: evict };

async function evict(context: RequestContext): Promise<ApiResponse> {
  const { eviction, isDryRun, fieldManager } = await readEviction(context);
  const admission = creation(context, eviction, { isDryRun, fieldManager }, EVICTION.type);
  await context.admission.admit(admission);
  const options = readOptions(((admission.object as Eviction).deleteOptions ?? {}) as JsonObject, isDryRun);
  const pod = await evictUnprotected(context, options);
  if (pod !== undefined) await evictWithinBudget(context, options, pod);
  return await successResponse(context);
}

/** Attempts to evict a pod that keeps changing. */
const MAX_ATTEMPTS = 20;

/**
 * Evicts a pod that needs no budget, and tries again when the pod has changed: it may need one now. Returns the pod
 * when it needs one.
 */
async function evictUnprotected(context: RequestContext, options: EvictionOptions): Promise<Pod | undefined> {
  for (let attempt = 1; ; attempt++) {
    const pod = await findPod(context);
    if (!isUnprotected(pod)) return pod;
    try {
      await disrupt(context, pinned(options, pod, isEnded(pod)), pod);
      return undefined;
    } catch (error) {
      const isOurs = options.preconditions?.resourceVersion === undefined && options.preconditions?.uid === undefined;
      if (!isOurs || !isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Delete options of the eviction. As in Kubernetes, only the delete validates them. */
interface EvictionOptions extends DeleteOptions {
  readonly asked: JsonObject;
}

function readOptions(asked: JsonObject, isDryRun: boolean): EvictionOptions {
  const wish = Array.isArray(asked.dryRun) ? asked.dryRun : [];
  if (isDryRun && wish.length > 0 && (wish.length > 1 || wish[0] !== 'All')) {
    const both = `[All] and [${wish.join(' ')}]`;
    throw unclassifiedError(500, `Non-matching dry-run options in request and content: ${both}`);
  }
  const options = uncheckedDeleteOptions(asked);
  return { ...options, isDryRun: options.isDryRun || isDryRun, asked };
}

async function readEviction(
  context: RequestContext,
): Promise<{ eviction: Eviction; isDryRun: boolean; fieldManager: string }> {
  const { isDryRun, fieldValidation, fieldManager } = readWriteOptions(context.query, 'CreateOptions');
  const body = await readBodyBytes(context);
  const kind = versionOf(body) === FORMER_EVICTION.type.apiVersion ? FORMER_EVICTION : EVICTION;
  const reread = { ...context, request: alterRequest(context.request, { body }) };
  const eviction = (await decodeBody(bodyOfKind(reread, kind), fieldValidation)).object as Eviction;
  setNamespace(context, eviction);
  if (eviction.metadata.name !== context.info.name)
    throw badRequestError('name in URL does not match name in Eviction object');
  refuseUnread(eviction);
  return { eviction, isDryRun, fieldManager };
}

/** Refuses the option to delete unreadable objects, which only a delete accepts. */
function refuseUnread({ metadata, deleteOptions }: Eviction): void {
  if (deleteOptions?.ignoreStoreReadErrorWithClusterBreakingPotential !== true) return;
  const path = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential';
  const problem = invalid(path, true, 'can not be set for pod eviction, try after removing the option');
  throw invalidError(EVICTION.type, metadata.name ?? '', [problem]);
}

function versionOf(body: Uint8Array): string {
  try {
    const value = parseJson(body);
    return isJsonObject(value) && typeof value.apiVersion === 'string' ? value.apiVersion : '';
  } catch {
    return '';
  }
}

async function findPod({ store, resource, info }: RequestContext): Promise<Pod> {
  const found = await findObject(store, resource, info.namespace, info.name);
  if (found === undefined) throw notFoundError(groupResourceOf(resource), info.name);
  return found.object as Pod;
}

/** True for a pod that is pending, finished or being deleted already: no budget counts on it. */
function isUnprotected(pod: Pod): boolean {
  return pod.status?.phase === 'Pending' || isEnded(pod);
}

function isEnded({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

async function evictWithinBudget(context: RequestContext, options: EvictionOptions, pod: Pod): Promise<void> {
  const budget = await spendDisruption(context, pod, options);
  const isPinned = budget?.isSpared === true;
  try {
    await disrupt(context, isPinned ? pinned(options, pod, false) : options, pod);
  } catch (error) {
    const isOurs = isPinned && options.preconditions?.resourceVersion === undefined;
    throw isOurs && isConflict(error) ? stillProcessed(budget.name) : error;
  }
}

/** Adds preconditions, so that a decision about the pod is not applied to a newer version of it. */
function pinned(options: EvictionOptions, { metadata }: Pod, isAnyVersionFine: boolean): EvictionOptions {
  if (isAnyVersionFine || options.preconditions?.resourceVersion !== undefined) return options;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: metadata.resourceVersion! } };
}

/** Admission of the delete: none, because admission has seen the eviction. */
const NO_ADMISSION = new AdmissionChain([]);

/** Sets the DisruptionTarget condition, then deletes the pod. */
async function disrupt(asked: RequestContext, options: EvictionOptions, { metadata }: Pod): Promise<void> {
  const { namespace = '', name = '' } = metadata;
  const context = { ...asked, admission: NO_ADMISSION };
  if (options.isDryRun) {
    await deletePod(context, options, name);
    return;
  }
  const target = { resource: context.resource, namespace, name };
  const noted = await rewriteObject<Pod>(context, target, options, (pod) => {
    checkPreconditions(pod, options);
    const reason = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
    setPodCondition(pod, { type: 'DisruptionTarget', status: 'True', ...reason }, context.clock.now());
  });
  const { resourceVersion } = options.preconditions ?? {};
  const preconditions = {
    ...options.preconditions,
    ...(resourceVersion !== undefined && { resourceVersion: noted.metadata.resourceVersion! }),
  };
  await deletePod(context, { ...options, preconditions }, name);
}

async function deletePod(context: RequestContext, options: EvictionOptions, name: string): Promise<void> {
  checkDeleteOptions(options.asked);
  await deleteObject(context, context.info.namespace, name, options);
}

function checkPreconditions(
  { metadata }: Pod,
  { preconditions: { uid, resourceVersion } = {} }: EvictionOptions,
): void {
  const refuse = (what: string, wanted: string, found = '', fate = '') =>
    conflictError(
      { group: '', resource: 'Pod' },
      metadata.name ?? '',
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${fate}`,
    );
  if (uid !== undefined && uid !== metadata.uid) throw refuse('UID', uid, metadata.uid, 'deleted and then recreated');
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified');
}
