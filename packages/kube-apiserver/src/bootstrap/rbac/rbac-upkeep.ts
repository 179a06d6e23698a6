import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import { missingRules } from '../../auth/rbac/rule-coverage.ts';

const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

type AnyRole = Role | ClusterRole;
type AnyBinding = RoleBinding | ClusterRoleBinding;

/** Restores the default permissions of a role. Added ones stay. */
export function roleUpkeep(stored: KubernetesObject, seed: KubernetesObject): KubernetesObject | undefined {
  if (isProtected(stored)) return undefined;
  const next = withSeedMetadata(stored, seed) as ClusterRole;
  const { rules = [], aggregationRule } = seed as ClusterRole;
  if (aggregationRule === undefined) {
    const kept = (stored as AnyRole).rules ?? [];
    // Nearly always equal, which is found faster than missing permissions.
    const missing = deepEqual(kept, rules) ? [] : missingRules(kept, rules);
    if (missing.length > 0) next.rules = [...kept, ...missing];
  } else {
    const known = next.aggregationRule?.clusterRoleSelectors ?? [];
    const selectors = (aggregationRule.clusterRoleSelectors ?? []).filter(
      (selector) => !known.some((item) => deepEqual(item, selector)),
    );
    if (selectors.length > 0) next.aggregationRule = { clusterRoleSelectors: [...known, ...selectors] };
  }
  return deepEqual(next, stored) ? undefined : next;
}

/** Restores the default subjects and role of a binding. */
export function bindingUpkeep(stored: KubernetesObject, seed: KubernetesObject): KubernetesObject | undefined {
  if (isProtected(stored)) return undefined;
  const next = withSeedMetadata(stored, seed) as AnyBinding;
  const { subjects = [], roleRef } = seed as AnyBinding;
  const known = next.subjects ?? [];
  const missing = subjects.filter((subject) => !known.some((item) => isSame(item, subject)));
  if (missing.length > 0) next.subjects = [...known, ...missing];
  next.roleRef = roleRef;
  return deepEqual(next, stored) ? undefined : next;
}

/** True when the annotation is false: the object is then left to its users. */
function isProtected({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[AUTO_UPDATE] === 'false';
}

function withSeedMetadata(stored: KubernetesObject, { metadata }: KubernetesObject): KubernetesObject {
  return {
    ...stored,
    metadata: {
      ...stored.metadata,
      labels: { ...metadata.labels, ...stored.metadata.labels },
      annotations: { ...metadata.annotations, ...stored.metadata.annotations },
    },
  };
}

function isSame(a: Subject, b: Subject): boolean {
  return a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');
}
