import type { PolicyRule } from '@pintle/kinds/rbac/v1';

/**
 * Roles by name, each a list of rules in short:
 *
 *     get,list core,apps pods,deployments          verbs, groups, resources
 *     update core configmaps cluster-info          and names
 *     get /healthz,/version                        verbs, paths
 */
export type RuleTable = Readonly<Record<string, readonly string[]>>;

export function readRule(text: string): PolicyRule {
  const [verbs, groups, resources, names] = text.split(' ').map((list) => list.split(','));
  if (resources === undefined) return { verbs: verbs!, nonResourceURLs: groups! };
  return {
    verbs: verbs!,
    apiGroups: groups!.map((group) => (group === 'core' ? '' : group)),
    resources,
    ...(names && { resourceNames: names }),
  };
}
