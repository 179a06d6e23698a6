import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { isAllowed, isMaster } from '@pintle/apiserver/auth';
import { guardReferredName } from '@pintle/apiserver/request';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { groupResourceOf, longTurns, runInTurns } from '@pintle/apiserver/resource';
import type { ClusterRole, PolicyRule, Role, RoleBinding } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, forbiddenError, notFoundError, quote, unclassifiedError } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { RBAC_GROUP } from '../../auth/rbac/known-binding.ts';
import type { RbacAuthorizer } from '../../auth/rbac/rbac-authorizer.ts';
import {
  combinationsOf,
  describeRule,
  MAX_COMBINATIONS,
  MAX_COMPARISONS,
  missingInSteps,
  quoteList,
} from '../../auth/rbac/rule-coverage.ts';

/** The rules that an aggregated role may come to have. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Prevents privilege escalation: a user who writes or binds a role must hold all of its permissions, or have `escalate`
 * or `bind` on the role.
 */
export function guardGrants(rbac: RbacAuthorizer): AdmissionPlugin {
  return {
    name: 'RBAC',
    handles: ({ kind, operation, context }) =>
      kind.group === RBAC_GROUP && (operation === 'CREATE' || operation === 'UPDATE') && !isMaster(context.user),
    mutate: async (request) => {
      if (request.oldObject !== undefined && isForCollectorOnly(request.object!, request.oldObject)) return;
      if (request.kind.kind.endsWith('Binding')) await checkBinding(rbac, request);
      else await checkRole(rbac, request);
    },
  };
}

async function checkRole(rbac: RbacAuthorizer, request: AdmissionRequest): Promise<void> {
  const { authorizer, user, info } = request.context;
  const { group, version, resource, namespace, name } = info;
  if (await isAllowed(authorizer, user, { verb: 'escalate', group, version, resource, namespace, name })) return;
  const role = request.object as Role | ClusterRole;
  await checkHeld(rbac, request, role.rules ?? []);
  if (!hasAggregation(role) && !hasAggregation(request.oldObject)) return;
  const { rules } = await rbac.heldRules(user, namespace);
  if ((await findMissing(request, rules, EVERYTHING)).length > 0) {
    throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

async function checkBinding(rbac: RbacAuthorizer, request: AdmissionRequest): Promise<void> {
  const { authorizer, user, info, resource } = request.context;
  const { kind = '', name = '' } = (request.object as RoleBinding).roleRef ?? {};
  const { namespace } = info;
  const roles = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (await isAllowed(authorizer, user, { verb: 'bind', group: RBAC_GROUP, resource: roles, namespace, name })) return;
  guardReference(kind, name, namespace);
  const rules = await rbac.roleRules(kind, name, namespace);
  if (rules === undefined) throw notFoundError(groupResourceOf(resource), name);
  await checkHeld(rbac, request, rules);
}

/** Throws for a reference that cannot be resolved, before anything else is checked. */
function guardReference(kind: string, name: string, namespace: string): void {
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    throw unclassifiedError(500, `unsupported role reference kind: ${quote(kind)}`);
  }
  if (kind === 'Role' && namespace === '') throw badRequestError('Namespace parameter required.');
  guardReferredName(name);
}

async function checkHeld(rbac: RbacAuthorizer, request: AdmissionRequest, rules: readonly PolicyRule[]): Promise<void> {
  if (combinationsOf(rules) > MAX_COMBINATIONS) {
    throw refusal(request, `its rules stand for more than ${MAX_COMBINATIONS} permissions, too many to compare`);
  }
  const { user, info } = request.context;
  const held = await rbac.heldRules(user, info.namespace);
  const missing = await findMissing(request, held.rules, rules);
  if (missing.length === 0) return;
  const who = `user ${quote(user.username)} (groups=${quoteList(user.groups)})`;
  const problems = held.problems.length === 0 ? '' : `; resolution errors: [${held.problems.join(', ')}]`;
  const what = `${describeMissing(missing)}${problems}`;
  throw refusal(request, `${who} is attempting to grant RBAC permissions not currently held:\n${what}`);
}

async function findMissing(
  request: AdmissionRequest,
  held: Iterable<PolicyRule>,
  wanted: readonly PolicyRule[],
): Promise<readonly PolicyRule[]> {
  const missing = await runInTurns(missingInSteps(held, wanted, MAX_COMPARISONS), longTurns(request.context.clock));
  if (missing !== undefined) return missing;
  throw refusal(request, `comparing its rules with those of the user takes more than ${MAX_COMPARISONS} comparisons`);
}

/** Rules, and length of their text, that a refusal lists; the rest is counted. */
const MAX_LISTED_RULES = 1_000;
const MAX_LISTED_LENGTH = 128 * 1024;

function describeMissing(missing: readonly PolicyRule[]): string {
  const listed: string[] = [];
  let length = 0;
  for (const rule of missing.slice(0, MAX_LISTED_RULES)) {
    const text = describeRule(rule);
    length += text.length;
    if (length > MAX_LISTED_LENGTH) break;
    listed.push(text);
  }
  const left = missing.length - listed.length;
  return [...listed.sort(), ...(left > 0 ? [`and ${left} more`] : [])].join('\n');
}

function refusal({ context, object }: AdmissionRequest, why: string): Error {
  return forbiddenError(groupResourceOf(context.resource), object?.metadata.name ?? '', why);
}

function hasAggregation(role: KubernetesObject | undefined): boolean {
  return ((role as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/** True when only finalizers and owners change, which is always allowed: objects must be able to be deleted. */
function isForCollectorOnly(next: KubernetesObject, current: KubernetesObject): boolean {
  const collected = ({ metadata, ...rest }: KubernetesObject): unknown => {
    const { finalizers: _finalizers, ownerReferences: _owners, managedFields: _fields, ...kept } = metadata;
    return { ...rest, metadata: kept };
  };
  return deepEqual(collected(next), collected(current));
}
