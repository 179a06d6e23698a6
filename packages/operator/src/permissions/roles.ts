import type { ClusterRole, Role } from '@pintle/kinds/rbac/v1';
import type { Permissions } from './permissions.ts';
import type { Use } from './request-use.ts';

interface RolesOptions {
  readonly name: string;
  /** Where the lease of leader election is. */
  readonly leaseNamespace?: string | undefined;
  /** The only namespaces that matter; `undefined`: all of them. */
  readonly namespaces?: readonly string[] | undefined;
}

const RBAC = 'rbac.authorization.k8s.io/v1';

/**
 * Leases are the namespace's of the lease; what was declared for one namespace is that one's; what is in namespaces is
 * theirs when they are known; the rest is the cluster's.
 */
export function rolesOf(
  permissions: Permissions,
  { name, leaseNamespace, namespaces }: RolesOptions,
): (ClusterRole | Role)[] {
  const isLease = ({ group, resource }: Use): boolean =>
    leaseNamespace !== undefined && group === 'coordination.k8s.io' && resource === 'leases';
  const isLocal = (use: Use): boolean => use.namespace !== undefined || (namespaces !== undefined && use.isNamespaced);
  const roles: (ClusterRole | Role)[] = [];
  const rules = permissions.rules((use) => !isLease(use) && !isLocal(use));
  if (rules.length > 0) roles.push({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules });
  const declared = permissions.uses().flatMap((use) => use.namespace ?? []);
  const leases = leaseNamespace === undefined ? [] : [leaseNamespace];
  for (const namespace of new Set([...(namespaces ?? []), ...leases, ...declared.sort()])) {
    const isHere = (use: Use): boolean => {
      if (isLease(use)) return namespace === leaseNamespace;
      if (use.namespace !== undefined) return namespace === use.namespace;
      return isLocal(use) && namespaces!.includes(namespace);
    };
    const local = permissions.rules(isHere);
    if (local.length > 0) roles.push({ apiVersion: RBAC, kind: 'Role', metadata: { namespace, name }, rules: local });
  }
  return roles;
}
