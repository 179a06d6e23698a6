import type { ParamKind, ParamRef } from '@pintle/kinds/admissionregistration/v1';
import { parseGroupVersion } from '@pintle/machinery';
import { forbidden, invalidError } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { deepEqual } from '@pintle/machinery/json';
import { isMaster } from '../../auth/authorizer.ts';
import type { Permission } from '../../auth/permission.ts';
import { isAllowed } from '../../auth/permission.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { findObject } from '../../storage/object-store.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { resourceOfKind } from './parameters.ts';
import type { BindingObject, PolicyObject } from './policy-source.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'];
const BINDINGS = ['ValidatingAdmissionPolicyBinding', 'MutatingAdmissionPolicyBinding'];

/**
 * Requires `get` on the parameters that a policy or binding names, so that its author cannot read them through the
 * policy.
 */
export const guardParameters: AdmissionPlugin = {
  name: 'AdmissionPolicyParameters',
  handles: ({ kind, operation, context }) =>
    kind.group === GROUP &&
    (operation === 'CREATE' || operation === 'UPDATE') &&
    (POLICIES.includes(kind.kind) || BINDINGS.includes(kind.kind)) &&
    !isMaster(context.user),
  validate: async (request) => {
    if (POLICIES.includes(request.kind.kind)) await checkPolicy(request);
    else await checkBinding(request);
  },
};

async function checkPolicy(request: AdmissionRequest): Promise<void> {
  const paramKind = (request.object as PolicyObject).spec?.paramKind;
  const before = (request.oldObject as PolicyObject | undefined)?.spec?.paramKind;
  if (paramKind === undefined || isSame(paramKind, before)) return;
  const { context } = request;
  const permission = { ...(await targetOf(request, paramKind)), verb: 'get', namespace: '*', name: '*' };
  if (await isAllowed(context.authorizer, context.user, permission)) return;
  const { kind = '', apiVersion = '' } = paramKind;
  const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  throw refusal(request, 'spec.paramKind', `${describeUser(context.user)} must have "get" permission on ${what}`);
}

async function checkBinding(request: AdmissionRequest): Promise<void> {
  const { paramRef, policyName = '' } = (request.object as BindingObject).spec ?? {};
  const before = (request.oldObject as BindingObject | undefined)?.spec;
  if (paramRef === undefined || (isSame(paramRef, before?.paramRef) && policyName === before?.policyName)) return;
  const { context } = request;
  const { name = '', namespace = '' }: ParamRef = paramRef;
  const target = await targetOf(request, await paramKindOf(request, policyName));
  if (await isAllowed(context.authorizer, context.user, { ...target, verb: 'get', namespace, name })) return;
  const why = `${describeUser(context.user)} does not have "get" permission on the object referenced by paramRef`;
  throw refusal(request, 'spec.paramRef', why);
}

function isSame(left: object, right: object | undefined): boolean {
  return right !== undefined && deepEqual(left as JsonValue, right as JsonValue);
}

/** Returns the resource of a kind; `*` while the kind is unknown. */
async function targetOf(
  { context }: AdmissionRequest,
  paramKind: ParamKind | undefined,
): Promise<Pick<Permission, 'group' | 'version' | 'resource'>> {
  const { apiVersion = '', kind = '' } = paramKind ?? {};
  const parsed = paramKind && parseGroupVersion(apiVersion);
  if (parsed === undefined) return { group: '*', version: '*', resource: '*' };
  const { group, version } = parsed;
  const served = await resourceOfKind(context.resources, { group, version, kind });
  return { group, version, resource: served?.type.plural ?? '*' };
}

async function paramKindOf({ context, kind }: AdmissionRequest, policyName: string): Promise<ParamKind | undefined> {
  const resource = kind.kind.startsWith('Mutating') ? 'mutatingadmissionpolicies' : 'validatingadmissionpolicies';
  const policies = (await context.resources.find({ group: GROUP, version: kind.version, resource }))!;
  const found = await findObject(context.store, policies, '', policyName);
  return (found?.object as PolicyObject | undefined)?.spec?.paramKind;
}

/** Formats a user as Kubernetes does: name, uid, groups and extra. */
function describeUser({ username, uid = '', groups, extra = {} }: UserInfo): string {
  const more = Object.entries(extra)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `user &{${username} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`;
}

function refusal({ kind, object }: AdmissionRequest, field: string, why: string): Error {
  return invalidError(kind, object?.metadata.name ?? '', [forbidden(field, why)]);
}
