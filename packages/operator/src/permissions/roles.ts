import type { ClusterRole, Role } from '@pintle/kinds/rbac/v1';
import type { Permissions } from './permissions.ts';
import type { ResourceAccess } from './request-access.ts';

interface RolesOptions {
  readonly name: string;
  /** Namespace of the leader election lease. */
  readonly leaseNamespace?: string | undefined;
  /** Watched namespaces; `undefined` for all. */
  readonly namespaces?: readonly string[] | undefined;
}

const RBAC = 'rbac.authorization.k8s.io/v1';

/**
 * Returns a Role in the namespace of the lease for leases, Roles for access declared for a namespace, Roles in the watched
 * namespaces for namespaced kinds, and a ClusterRole for the rest.
 */
export function rolesOf(
  permissions: Permissions,
  { name, leaseNamespace, namespaces }: RolesOptions,
): (ClusterRole | Role)[] {
  const isLease = ({ group, resource }: ResourceAccess): boolean =>
    leaseNamespace !== undefined && group === 'coordination.k8s.io' && resource === 'leases';
  const isLocal = (use: ResourceAccess): boolean =>
    use.namespace !== undefined || (namespaces !== undefined && use.isNamespaced);
  const roles: (ClusterRole | Role)[] = [];
  const rules = permissions.rules((use) => !isLease(use) && !isLocal(use));
  if (rules.length > 0) roles.push({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules });
  const declared = permissions.uses().flatMap((use) => use.namespace ?? []);
  const leases = leaseNamespace === undefined ? [] : [leaseNamespace];
  for (const namespace of new Set([...(namespaces ?? []), ...leases, ...declared.sort()])) {
    const isHere = (use: ResourceAccess): boolean => {
      if (isLease(use)) return namespace === leaseNamespace;
      if (use.namespace !== undefined) return namespace === use.namespace;
      return isLocal(use) && namespaces!.includes(namespace);
    };
    const local = permissions.rules(isHere);
    if (local.length > 0) roles.push({ apiVersion: RBAC, kind: 'Role', metadata: { namespace, name }, rules: local });
  }
  return roles;
}
