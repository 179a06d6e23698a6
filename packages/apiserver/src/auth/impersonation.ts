import { badRequestError, describeFieldErrors, quote } from '@pintle/machinery/errors';
import { validateDns1123Subdomain, validateDomainPrefixedPath } from '@pintle/machinery/names';
import type { ApiRequest } from '../request/exchange.ts';
import { alterRequest } from '../request/exchange.ts';
import type { Stage } from '../request/pipeline.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Authorizer } from './authorizer.ts';
import { denialError } from './authorizer.ts';
import { unescapeKey, valuesOf } from './certificate-authenticator.ts';
import type { Permission } from './permission.ts';
import { denialOf, toRequest } from './permission.ts';
import { splitServiceAccountName } from './service-account-name.ts';

/** Users whose last mode is cached. The oldest entry is evicted first. */
const MAX_REMEMBERED = 10_000;

/** Replaces the user of a request by that of its `Impersonate-*` headers, when the user may impersonate it. */
export function impersonateStage(authorizer: Authorizer): Stage {
  const lastModes = new Map<string, number>();
  return (state, next) => {
    const wanted = readImpersonation(state.request);
    if (wanted === undefined) return next(state);
    const { user: requestor, info } = state;
    return findMode({ authorizer, requestor, wanted, info }, lastModes).then((found) => {
      if ('denied' in found) throw found.denied;
      if (state.audit !== undefined) {
        state.audit.impersonated = found.user;
        state.audit.impersonationConstraint = found.constraint;
      }
      return next({ ...state, request: withoutImpersonation(state.request), user: found.user });
    });
  };
}

/** Tries the mode that last succeeded for this user, then the others. Returns the first denial when none succeeds. */
async function findMode(impersonation: Impersonation, lastModes: Map<string, number>): Promise<Outcome> {
  const { requestor, wanted } = impersonation;
  const last = lastModes.get(requestor.username);
  const order = IMPERSONATION_MODES.map((_mode, index) => index).filter((index) => index !== last);
  if (last !== undefined) order.unshift(last);
  let refusal: Outcome | undefined;
  for (const index of order) {
    const mode = IMPERSONATION_MODES[index]!;
    if (!mode.applies(wanted, requestor)) continue;
    const outcome = await tryMode(mode, impersonation);
    if ('user' in outcome) {
      remember(lastModes, requestor.username, index);
      return outcome;
    }
    refusal ??= outcome;
  }
  return refusal!;
}

/** Removes the headers, so that no later stage acts on them. */
function withoutImpersonation(request: ApiRequest): ApiRequest {
  const headers = Object.entries(request.headers).filter(([name]) => !name.startsWith('impersonate-'));
  return alterRequest(request, { headers: Object.fromEntries(headers) });
}

function remember(lastModes: Map<string, number>, username: string, index: number): void {
  lastModes.delete(username);
  lastModes.set(username, index);
  if (lastModes.size > MAX_REMEMBERED) lastModes.delete(lastModes.keys().next().value!);
}

const AUTHENTICATION = 'authentication.k8s.io';
const NODE_PREFIX = 'system:node:';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
/** Number of permissions from which one check for all of them comes first. */
const MANY = 4;

/** The requesting user, the user to impersonate, and the request. */
export interface Impersonation {
  readonly authorizer: Authorizer;
  readonly requestor: UserInfo;
  readonly wanted: UserInfo;
  readonly info: RequestInfo;
}

export type Outcome = { readonly user: UserInfo; readonly constraint: string } | { readonly denied: Error };

/**
 * A mode of impersonation. The plain mode allows everything as that user. A constrained mode takes two permissions: to be that
 * user (`impersonate:user-info`), and to do this as such a user (`impersonate-on:user-info:list`).
 */
interface ImpersonationMode {
  /** Empty for the plain mode, whose verb is `impersonate`. */
  readonly name: string;
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

export const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  {
    name: 'associated-node',
    applies: (wanted, requestor) =>
      isNameAlone(wanted) && isAccount(requestor) && nodeOf(wanted) !== '' && nodeOf(wanted) === homeNode(requestor),
  },
  { name: 'arbitrary-node', applies: (wanted) => isNameAlone(wanted) && nodeOf(wanted) !== '' },
  { name: 'serviceaccount', applies: (wanted) => isNameAlone(wanted) && isAccount(wanted) },
  { name: 'user-info', applies: (wanted) => nodeOf(wanted) === '' && !isAccount(wanted) },
  { name: '', applies: () => true },
];

/** Checks all permissions that a mode takes, in the order in which denials are reported. */
export async function tryMode({ name }: ImpersonationMode, impersonation: Impersonation): Promise<Outcome> {
  const { authorizer, requestor, info } = impersonation;
  if (name !== '') {
    const on = { ...info, verb: `impersonate-on:${name}:${info.verb}` } as RequestInfo;
    const denied = await denialOf(authorizer, requestor, on);
    if (denied !== undefined) return { denied };
  }
  for await (const denied of denials(name, impersonation)) if (denied !== undefined) return { denied };
  return { user: withImpliedGroups(name, impersonation.wanted), constraint: name === '' ? '' : `impersonate:${name}` };
}

/** Yields a denial, or `undefined`, for each permission that a mode takes. */
async function* denials(mode: string, impersonation: Impersonation): AsyncGenerator<Error | undefined> {
  const { authorizer, requestor, wanted } = impersonation;
  const ask = (permission: Permission) => denialOf(authorizer, requestor, toRequest(permission));
  const verb = mode === '' ? 'impersonate' : `impersonate:${mode}`;
  const group = mode === '' ? '' : AUTHENTICATION;
  yield await ask({ verb, group, ...usernameTarget(mode, wanted) });
  if (wanted.uid !== undefined) yield await ask({ verb, group: AUTHENTICATION, resource: 'uids', name: wanted.uid });
  const groups = { verb, group, resource: 'groups' };
  if (mode !== '') yield refusedGroup(requestor, groups, wanted.groups);
  yield* each(
    mode,
    ask,
    { ...groups, name: '*' },
    wanted.groups.map((name) => ({ ...groups, name })),
  );
  const extra = { verb, group: AUTHENTICATION, resource: 'userextras' };
  if (mode !== '') yield refusedExtra(requestor, extra, wanted.extra ?? {});
  const values = Object.entries(wanted.extra ?? {}).flatMap(([subresource, names]) =>
    names.map((name) => ({ ...extra, subresource, name })),
  );
  yield* each(mode, ask, { ...extra, subresource: '*', name: '*' }, values);
}

/** Checks permissions one by one. When there are many, checks first for one that covers all of them. */
async function* each(
  mode: string,
  ask: (permission: Permission) => Promise<Error | undefined>,
  all: Permission,
  permissions: readonly Permission[],
): AsyncGenerator<Error | undefined> {
  if (mode !== '' && permissions.length >= MANY && (await ask(all)) === undefined) return;
  for (const permission of permissions) yield await ask(permission);
}

function usernameTarget(mode: string, wanted: UserInfo): Pick<Permission, 'resource' | 'name' | 'namespace'> {
  const account = splitServiceAccountName(wanted.username);
  if (account !== undefined) return { resource: 'serviceaccounts', ...account };
  const node = nodeOf(wanted);
  if (mode === '' || node === '') return { resource: 'users', name: wanted.username };
  // The mode has checked that the node is the requestor's; the permission is for any node.
  return { resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
}

/** Denies groups that only the plain mode allows. */
function refusedGroup(requestor: UserInfo, permission: Permission, groups: readonly string[]): Error | undefined {
  const refuse = (name: string, why: string): Error =>
    denialError(requestor, toRequest({ ...permission, name }), `impersonating the ${why} group is not allowed`);
  if (groups.includes('')) return refuse('', 'empty string');
  return groups.includes('system:masters') ? refuse('system:masters', 'system:masters') : undefined;
}

function refusedExtra(
  requestor: UserInfo,
  permission: Permission,
  extra: NonNullable<UserInfo['extra']>,
): Error | undefined {
  const refuse = (why: string): Error => denialError(requestor, toRequest(permission), why);
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return refuse('impersonating the empty string key in extra is not allowed');
    const wrong = validateDomainPrefixedPath(key, 'extra.key');
    if (wrong.length > 0) {
      return refuse(`impersonating an invalid key in extra is not allowed: ${describeFieldErrors(wrong)}`);
    }
    if (key !== key.toLowerCase()) {
      return refuse(`impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`);
    }
    if (values.includes('')) return refuse('impersonating the empty string value in extra is not allowed');
  }
  return undefined;
}

/** Adds the groups of service accounts and nodes, and `system:authenticated` or `system:unauthenticated`. */
function withImpliedGroups(mode: string, wanted: UserInfo): UserInfo {
  const groups = [...wanted.groups];
  const account = splitServiceAccountName(wanted.username);
  if (account !== undefined && groups.length === 0) {
    groups.push('system:serviceaccounts', `system:serviceaccounts:${account.namespace}`);
  }
  if (mode !== '' && nodeOf(wanted) !== '') groups.push('system:nodes');
  const isAnonymous = wanted.username === 'system:anonymous';
  const implied = isAnonymous ? 'system:unauthenticated' : 'system:authenticated';
  if (isAnonymous || !groups.includes('system:unauthenticated')) {
    if (!groups.includes(implied)) groups.push(implied);
  }
  return { ...wanted, groups };
}

function isNameAlone({ uid, groups, extra }: UserInfo): boolean {
  return uid === undefined && groups.length === 0 && extra === undefined;
}

function isAccount({ username }: UserInfo): boolean {
  return splitServiceAccountName(username) !== undefined;
}

/** Returns the node of a username; empty for other users. */
function nodeOf({ username }: UserInfo): string {
  if (!username.startsWith(NODE_PREFIX)) return '';
  const name = username.slice(NODE_PREFIX.length);
  return validateDns1123Subdomain(name).length === 0 ? name : '';
}

/** Returns the node of the pod that the requestor's token is bound to. */
function homeNode({ extra }: UserInfo): string | undefined {
  const nodes = extra?.[NODE_NAME] ?? [];
  return nodes.length === 1 ? nodes[0] : undefined;
}

const EXTRA_PREFIX = 'impersonate-extra-';

/** Returns the user of the `Impersonate-*` headers, exactly as written; `undefined` without such headers. */
export function readImpersonation({ headers }: Pick<ApiRequest, 'headers'>): UserInfo | undefined {
  if (!hasImpersonation(headers)) return undefined;
  const username = valuesOf(headers['impersonate-user'])[0] ?? '';
  const uid = valuesOf(headers['impersonate-uid'])[0] ?? '';
  const groups = valuesOf(headers['impersonate-group']);
  const extra = readExtra(headers);
  const wanted = { username, groups, ...(uid !== '' && { uid }), ...(extra.size > 0 && { extra: toRecord(extra) }) };
  if (username !== '') return wanted;
  if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
  throw badRequestError(`requested ${describe(groups, uid, extra)} without impersonating a user name`);
}

/** Checks quickly: few requests have such headers. */
function hasImpersonation(headers: ApiRequest['headers']): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true;
  return false;
}

function readExtra(headers: ApiRequest['headers']): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(EXTRA_PREFIX) || value === undefined) continue;
    const key = unescapeKey(name.slice(EXTRA_PREFIX.length));
    extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(value)]);
  }
  return extra;
}

/** Uses `fromEntries`, which never sets a prototype: clients choose the keys. */
function toRecord(extra: ReadonlyMap<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(extra);
}

/** Prints the value as Go does, for the error text of Kubernetes. */
function describe(groups: readonly string[], uid: string, extra: ReadonlyMap<string, readonly string[]>): string {
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => `${quote(key)}:${goList(list)}`);
  const extraText = extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${quote(uid)}, Groups:${goList(groups)}, Extra:${extraText}}`;
}

function goList(texts: readonly string[]): string {
  return texts.length === 0 ? '[]string(nil)' : `[]string{${texts.map(quote).join(', ')}}`;
}
