import type { KubernetesObject } from '@pintle/machinery';
import { conflictError, forbiddenError, notFoundError } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { ApiResponse } from '../../request/exchange.ts';
import { deletion } from '../../resource/admission-request.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { DeleteOptions } from '../../resource/options.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import type { StoredVersion } from '../../storage/object-store.ts';
import { findObject, removeObject, writeObject } from '../../storage/object-store.ts';
import { answerObject, answerValue, negotiateAnswer } from '../response/response.ts';
import { includeObject } from '../response/table.ts';
import { readDeleteOptions } from '../write/delete-options.ts';
import type { DeletePlan } from '../write/delete-plan.ts';
import { isNamespaces, orphansByDefault, planDeletion } from '../write/delete-plan.ts';
import { deleteUnread } from '../write/unsafe-delete.ts';

const ORPHANS_JOBS =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** What a delete did: took the object away, or marked it because something still holds it. */
export interface Deletion {
  readonly object: KubernetesObject;
  readonly isGone: boolean;
}

export async function remove(call: EndpointCall): Promise<ApiResponse> {
  const form = negotiateAnswer(call);
  const options = await readDeleteOptions(call);
  if (options.ignoresReadError) return await removeUnread(call, form);
  warnOfOrphans(call, options);
  const { object, isGone } = await deleteObject(call, call.info.namespace, call.info.name, options);
  const status = !isGone && options.orphanDependents === false ? 202 : 200;
  if (!isGone || call.resource.rules.returnsDeletedObject) return await answerObject(call, form, status, object);
  const { transform, ...plain } = form;
  // A Status is no row of any table, but what the table shall be is looked at all the same.
  if (transform?.as === 'Table') includeObject(call.query);
  return await answerValue(call, plain, 200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.metadata.name ?? '',
      ...(call.resource.type.group !== '' && { group: call.resource.type.group }),
      kind: call.resource.type.plural,
      uid: object.metadata.uid ?? '',
    },
  });
}

/** Nothing can be told of what was deleted but its name. */
async function removeUnread(call: EndpointCall, form: ReturnType<typeof negotiateAnswer>): Promise<ApiResponse> {
  await deleteUnread(call);
  const { transform: _, ...plain } = form;
  return await answerValue(call, plain, 200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: call.info.name, kind: call.resource.type.kind },
    code: 200,
  });
}

export function warnOfOrphans(call: EndpointCall, options: DeleteOptions): void {
  if (call.resource.type.plural !== 'jobs' || !orphansByDefault(call.resource)) return;
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined)
    call.warnings.add(ORPHANS_JOBS);
}

export async function deleteObject(
  call: EndpointCall,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Promise<Deletion> {
  const { store, resource, clock } = call;
  const { permanent } = resource.rules;
  if (permanent?.names.has(name)) throw forbiddenError(groupResourceOf(resource), name, permanent.reason);
  let expected = options;
  for (;;) {
    const current = await findObject(store, resource, namespace, name, { isFresh: true });
    if (current === undefined) throw notFoundError(groupResourceOf(resource), name);
    checkPreconditions(call, current.object, expected);
    await call.admission.admit(deletion(call, current.object, options));
    const plan = planDeletion(resource, current.object, options, clock.now());
    if (options.isDryRun) return foresee(plan, current.object);
    const done = await carryOut(call, plan, current);
    if (done !== undefined) return done;
    expected = withUid(expected, current.object);
  }
}

/** Who meant one object does not mean another that has taken its name since. */
function withUid(options: DeleteOptions, { metadata }: KubernetesObject): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, ...(metadata.uid && { uid: metadata.uid }) } };
}

function foresee(plan: DeletePlan, current: KubernetesObject): Deletion {
  switch (plan.step) {
    case 'wait':
      return { object: current, isGone: false };
    case 'remove':
      return { object: current, isGone: true };
    default:
      return { object: plan.next, isGone: plan.step === 'windDown' };
  }
}

/** `undefined`: the object moved meanwhile; look at it again. */
async function carryOut(call: EndpointCall, plan: DeletePlan, current: StoredVersion): Promise<Deletion | undefined> {
  switch (plan.step) {
    case 'wait':
      return { object: current.object, isGone: false };
    case 'remove':
      return await take(call, current);
    case 'mark':
      return await mark(call, plan.next, current);
    case 'windDown': {
      const marked = await mark(call, plan.next, current);
      if (marked === undefined) return undefined;
      const { metadata } = marked.object;
      const stored = await findObject(call.store, call.resource, metadata.namespace ?? '', metadata.name ?? '');
      // Whoever watched it end may have removed it already, which is what was asked for.
      if (stored?.object.metadata.uid !== metadata.uid) return { object: marked.object, isGone: true };
      return await take(call, stored!);
    }
  }
}

async function take(call: EndpointCall, { object, record }: StoredVersion): Promise<Deletion | undefined> {
  const also = (await call.resource.companions?.settle(call, undefined, object, { isDryRun: false })) ?? [];
  const outcome = await removeObject(call.store, record, { also });
  if (!('revision' in outcome)) return undefined;
  object.metadata.resourceVersion = String(outcome.revision);
  return { object, isGone: true };
}

async function mark(call: EndpointCall, next: KubernetesObject, current: StoredVersion): Promise<Deletion | undefined> {
  if (deepEqual(next, current.object)) return { object: current.object, isGone: false };
  const outcome = await writeObject(call.store, call.resource, next, current.record.modRevision);
  if ('refused' in outcome) return undefined;
  return { object: outcome.object, isGone: false };
}

function checkPreconditions(
  call: EndpointCall,
  { metadata }: KubernetesObject,
  { preconditions: { uid, resourceVersion } = {} }: DeleteOptions,
): void {
  const name = metadata.name ?? '';
  if (uid !== undefined && uid !== metadata.uid) {
    throw mismatch(call, name, ['UID', uid, metadata.uid, 'deleted and then recreated']);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw mismatch(call, name, ['ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified']);
  }
}

/** Namespaces and definitions, which end in steps, say it in other words than all other kinds. */
function mismatch(
  { resource }: EndpointCall,
  name: string,
  [what, wanted, found = '', fate]: readonly [string, string, string | undefined, string],
): Error {
  if (isNamespaces(resource) || resource.rules.prepareForDelete !== undefined) {
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    return conflictError(groupResourceOf(resource), name, why);
  }
  return conflictError(
    { group: resource.storage.group, resource: resource.type.kind },
    name,
    `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${fate}`,
  );
}
