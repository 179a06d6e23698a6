import type { ClusterRole, Role } from '@pintle/kinds/rbac/v1';
import type { Permissions } from './permissions.ts';
import type { Use } from './request-use.ts';

export interface RolesOptions {
  readonly name: string;
  /** Where the lease of leader election is. */
  readonly leaseNamespace?: string | undefined;
  /** The only namespaces that matter; `undefined`: all of them. */
  readonly namespaces?: readonly string[] | undefined;
}

const RBAC = 'rbac.authorization.k8s.io/v1';

/** Leases are the namespace's of the lease; what is in namespaces is theirs when they are known; the rest the cluster's. */
export function rolesOf(
  permissions: Permissions,
  { name, leaseNamespace, namespaces }: RolesOptions,
): (ClusterRole | Role)[] {
  const isLease = ({ group, resource }: Use): boolean =>
    leaseNamespace !== undefined && group === 'coordination.k8s.io' && resource === 'leases';
  const isLocal = ({ isNamespaced }: Use): boolean => namespaces !== undefined && isNamespaced;
  const roles: (ClusterRole | Role)[] = [];
  const rules = permissions.rules((use) => !isLease(use) && !isLocal(use));
  if (rules.length > 0) roles.push({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules });
  for (const namespace of new Set([...(namespaces ?? []), ...(leaseNamespace === undefined ? [] : [leaseNamespace])])) {
    const isHere = (use: Use): boolean =>
      isLease(use) ? namespace === leaseNamespace : isLocal(use) && namespaces!.includes(namespace);
    const local = permissions.rules(isHere);
    if (local.length > 0) roles.push({ apiVersion: RBAC, kind: 'Role', metadata: { namespace, name }, rules: local });
  }
  return roles;
}
