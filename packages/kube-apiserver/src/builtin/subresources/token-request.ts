import type { ApiResponse } from '@pintle/apiserver';
import {
  decodeBody,
  guardNamespace,
  mutateOwned,
  negotiateResponse,
  objectResponse,
  recordOwners,
  setNamespace,
} from '@pintle/apiserver/registry';
import { guardReferredName } from '@pintle/apiserver/request';
import type { Endpoints, RequestContext } from '@pintle/apiserver/resource';
import { creation, groupResourceOf, readWriteOptions } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { BoundObjectReference, TokenRequest } from '@pintle/kinds/authentication/v1';
import type { Node, Pod, ServiceAccount } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { parseGroupVersion } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { badRequestError, conflictError, invalid, invalidError, notFoundError, quote } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { AccountClaims, ObjectClaim } from '../../auth/tokens/account-claims.ts';
import type { AccountTokens } from '../../auth/tokens/account-tokens.ts';
import { bodyOfKind, otherKind } from './other-kind.ts';

const GROUP_KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const TOKEN_REQUEST = otherKind({ ...GROUP_KIND, version: 'v1' });
const DEFAULT_SECONDS = 60 * 60;
const MIN_SECONDS = 10 * 60;
const MAX_SECONDS = 2 ** 32;
/**
 * Lifetime that pods with old client libraries request. These never fetch a new token, so theirs is extended and its
 * use is audited.
 */
const EXTENDED_FROM_SECONDS = 60 * 60 + 7;
const EXTENDED_TO_SECONDS = 365 * 24 * 60 * 60;

/** `serviceaccounts/token`: issues a token of a service account for a limited time, optionally bound to an object. */
export function tokenEndpoints(accountTokens: AccountTokens): Endpoints {
  return { create: (context) => requestToken(context, accountTokens) };
}

async function requestToken(context: RequestContext, accountTokens: AccountTokens): Promise<ApiResponse> {
  const options = readWriteOptions(context.query, 'CreateOptions');
  const form = negotiateResponse(context, { isPrinted: false });
  const asKind = bodyOfKind(context, TOKEN_REQUEST);
  const sent = (await decodeBody(asKind, options.fieldValidation)).object as TokenRequest;
  setNamespace(context, sent);
  sent.spec = { ...sent.spec, expirationSeconds: sent.spec?.expirationSeconds ?? DEFAULT_SECONDS };
  await recordOwners(asKind, options, sent, undefined);
  await guardNamespace(context, context.info.name);
  const admission = creation(context, sent, options, TOKEN_REQUEST.type);
  await mutateOwned(admission);
  const request = admission.object as TokenRequest;
  const spec = { ...request.spec, expirationSeconds: request.spec?.expirationSeconds ?? DEFAULT_SECONDS };
  validate(context, request);
  const account = await findAccount(context, request);
  request.metadata.name = context.info.name;
  await context.admission.validate(admission);
  const bound = await findBound(context, spec.boundObjectRef);
  const seconds = Math.min(spec.expirationSeconds, accountTokens.maxSeconds);
  const audiences = spec.audiences?.length ? spec.audiences : [...accountTokens.audiences];
  const nowMs = context.clock.now();
  const claims = claimsFor(context, accountTokens, account, bound, { audiences, seconds, nowMs });
  const token = await accountTokens.sign(claims);
  context.audit?.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${claims.id}`);
  return await objectResponse(asKind, form, 201, {
    kind: request.kind,
    apiVersion: request.apiVersion,
    metadata: {
      ...request.metadata,
      name: context.info.name,
      namespace: context.info.namespace,
      uid: account.metadata.uid!,
      creationTimestamp: formatTime(nowMs),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(nowMs + seconds * 1000) },
  } as KubernetesObject);
}

function validate({ info }: RequestContext, { metadata, spec }: TokenRequest): void {
  const seconds = spec?.expirationSeconds ?? DEFAULT_SECONDS;
  const refuse = (name: string, error: FieldError) => {
    throw invalidError(GROUP_KIND, name, [error]);
  };
  const path = 'spec.expirationSeconds';
  if (seconds < MIN_SECONDS) refuse('', invalid(path, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_SECONDS) refuse('', invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds'));
  const { name } = metadata;
  if (!name || name === info.name) return;
  refuse(info.name, invalid('metadata.name', name, 'must match the service account name if specified'));
}

async function findAccount(context: RequestContext, { metadata }: TokenRequest): Promise<ServiceAccount> {
  const { store, resource, info } = context;
  const found = await findObject(store, resource, info.namespace, info.name);
  if (found === undefined) throw notFoundError(groupResourceOf(resource), info.name);
  const { uid = '' } = found.object.metadata;
  if (metadata.uid && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflictError({ group: GROUP_KIND.group, resource: GROUP_KIND.kind }, info.name, why);
  }
  return found.object as ServiceAccount;
}

type Bound = Partial<Record<'secret' | 'pod' | 'node', ObjectClaim>>;

async function findBound(context: RequestContext, ref: BoundObjectReference | null | undefined): Promise<Bound> {
  if (!ref) return {};
  const { apiVersion = '', kind = '', name = '', uid } = ref;
  // A malformed version counts as none, as in Kubernetes.
  const isOther = apiVersion.includes('/') && parseGroupVersion(apiVersion) !== undefined;
  if (isOther || !['Pod', 'Secret', 'Node'].includes(kind)) {
    const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequestError(`cannot bind token to object of type ${version}, Kind=${kind}`);
  }
  const object = await findNamed(context, kind, name);
  const isOthers = kind === 'Pod' && (object as Pod).spec?.serviceAccountName !== context.info.name;
  if (isOthers) {
    const account = quote(context.info.name);
    throw badRequestError(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  if (uid && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflictError({ group: '', resource: kind }, name, why);
  }
  return await boundTo(context, kind, object);
}

async function boundTo(context: RequestContext, kind: string, object: KubernetesObject): Promise<Bound> {
  switch (kind) {
    case 'Pod':
      return { pod: claimOf(object), ...(await nodeOf(context, object as Pod)) };
    case 'Node':
      return { node: claimOf(object) };
    default:
      return { secret: claimOf(object) };
  }
}

/** Returns the node of a pod, even when the Node object does not exist. */
async function nodeOf(context: RequestContext, { spec }: Pod): Promise<Bound> {
  if (!spec?.nodeName) return {};
  const node = await find<Node>(context, 'Node', spec.nodeName);
  return { node: node === undefined ? { name: spec.nodeName, uid: '' } : claimOf(node) };
}

async function findNamed(context: RequestContext, kind: string, name: string): Promise<KubernetesObject> {
  guardReferredName(name);
  const object = await find(context, kind, name);
  if (object === undefined) throw notFoundError({ group: '', resource: `${kind.toLowerCase()}s` }, name);
  return object;
}

async function find<T extends KubernetesObject>(
  { store, resources, info }: RequestContext,
  kind: string,
  name: string,
): Promise<T | undefined> {
  const resource = await resources.find({ group: '', version: 'v1', resource: `${kind.toLowerCase()}s` });
  const found = await findObject(store, resource!, kind === 'Node' ? '' : info.namespace, name);
  return found?.object as T | undefined;
}

function claimOf({ metadata }: KubernetesObject): ObjectClaim {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

function claimsFor(
  { info, random }: RequestContext,
  accountTokens: AccountTokens,
  account: ServiceAccount,
  bound: Bound,
  { audiences, seconds, nowMs }: { audiences: readonly string[]; seconds: number; nowMs: number },
): AccountClaims {
  const now = Math.floor(nowMs / 1000);
  const isForServer = audiences.every((audience) => accountTokens.audiences.includes(audience));
  const isExtended = seconds === EXTENDED_FROM_SECONDS && bound.pod !== undefined && isForServer;
  return {
    namespace: info.namespace,
    account: claimOf(account),
    ...bound,
    audiences,
    issuedAt: now,
    notBefore: now,
    expiresAt: now + (isExtended ? EXTENDED_TO_SECONDS : seconds),
    ...(isExtended && { warnAfter: now + seconds }),
    id: random.uuid(),
    isLegacy: false,
  };
}
