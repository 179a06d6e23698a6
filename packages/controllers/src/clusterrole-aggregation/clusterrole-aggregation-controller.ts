import { ClusterRole } from '@pintle/kinds/rbac/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { aggregatedRules } from './aggregated-rules.ts';

const NAME = 'clusterrole-aggregation-controller';
/** Every change may concern every role that is made of others, so there is one request for all of them. */
const ALL = { name: 'all' };

/** Roles that are made of others have the rules of those, whatever somebody wrote into them, once there is one. */
export function addClusterRoleAggregation(manager: Manager): Controller {
  return manager
    .controller(ClusterRole, 'clusterrole-aggregation')
    .filter(() => false)
    .watches(ClusterRole, () => [ALL])
    .reconcileRequests(async (_request, { client }) => {
      const roles = await client.list(ClusterRole);
      for (const role of roles.filter(({ aggregationRule }) => aggregationRule !== undefined)) {
        const rules = aggregatedRules(role, roles);
        if (deepEqual(rules, role.rules ?? [])) continue;
        // Without rules there is nothing to own: what somebody else wrote stays theirs.
        const configuration = { metadata: { name: role.metadata.name! }, ...(rules.length > 0 && { rules }) };
        await client.apply(ClusterRole, configuration, { fieldManager: NAME, force: true });
      }
    });
}
