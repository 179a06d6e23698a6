import { Turns } from '@pintle/async';
import { ClusterRole } from '@pintle/kinds/rbac/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager, Request } from '@pintle/operator';
import { aggregatedRules, isPartOf } from './aggregated-rules.ts';

const NAME = 'clusterrole-aggregation-controller';

/** Writes the aggregated rules into roles with an aggregation rule, over other content, as soon as one role matches. */
export function addClusterRoleAggregation(manager: Manager): Controller {
  return manager
    .controller(ClusterRole, 'clusterrole-aggregation')
    .filter(() => false)
    .watches(ClusterRole, (role) => affectedRoles(manager, role))
    .reconcileRequests(async ({ name }, { client, clock }) => {
      const roles = await client.list(ClusterRole);
      const role = roles.find(({ metadata }) => metadata.name === name);
      if (role?.aggregationRule === undefined) return;
      const rules = await aggregatedRules(role, roles, new Turns(clock));
      if (deepEqual(rules, role.rules ?? [])) return;
      // Without rules there is nothing to own, and rules of other writers stay.
      const configuration = { metadata: { name }, ...(rules.length > 0 && { rules }) };
      await client.apply(ClusterRole, configuration, { fieldManager: NAME, force: true });
    });
}

/** Requests for the role itself, if it is aggregated, and for the roles that include it. */
function* affectedRoles({ informers }: Manager, role: ClusterRole): Iterable<Request> {
  if (role.aggregationRule !== undefined) yield { name: role.metadata.name ?? '' };
  for (const aggregate of informers.find(ClusterRole)?.cache.list() ?? [])
    if (isPartOf(role, aggregate)) yield { name: aggregate.metadata.name ?? '' };
}
