import type { ResourceRules } from '@pintle/machinery/rules';
import type { RulesTable } from '../rules-table.ts';
import { leaseRules } from './cluster/lease.ts';
import { componentStatusRules } from './core/component-status.ts';
import { configMapRules } from './core/config-map.ts';
import { endpointsRules } from './core/endpoints.ts';
import { eventRules, newEventRules } from './core/event.ts';
import { limitRangeRules } from './core/limit-range.ts';
import { namespaceRules } from './core/namespace.ts';
import { nodeRules } from './core/node.ts';
import { persistentVolumeRules } from './core/persistent-volume.ts';
import { persistentVolumeClaimRules } from './core/persistent-volume-claim.ts';
import { resourceQuotaRules } from './core/resource-quota.ts';
import { secretRules } from './core/secret.ts';
import { serviceRules } from './core/service.ts';
import { serviceAccountRules } from './core/service-account.ts';
import { apiServiceRules } from './extensions/api-service.ts';
import { customResourceDefinitionRules } from './extensions/custom-resource-definition.ts';
import { endpointSliceRules } from './networking/endpoint-slice.ts';
import { clusterRoleRules, roleRules } from './rbac/role.ts';
import { clusterRoleBindingRules, roleBindingRules } from './rbac/role-binding.ts';

/** The rules of every kind that is no workload. */
export const platformRules: RulesTable = untyped({
  '': {
    ComponentStatus: componentStatusRules,
    ConfigMap: configMapRules,
    Endpoints: endpointsRules,
    Event: eventRules,
    LimitRange: limitRangeRules,
    Namespace: namespaceRules,
    Node: nodeRules,
    PersistentVolume: persistentVolumeRules,
    PersistentVolumeClaim: persistentVolumeClaimRules,
    ResourceQuota: resourceQuotaRules,
    Secret: secretRules,
    Service: serviceRules,
    ServiceAccount: serviceAccountRules,
  },
  'apiextensions.k8s.io': { CustomResourceDefinition: customResourceDefinitionRules },
  'apiregistration.k8s.io': { APIService: apiServiceRules },
  'coordination.k8s.io': { Lease: leaseRules },
  'discovery.k8s.io': { EndpointSlice: endpointSliceRules },
  'events.k8s.io': { Event: newEventRules },
  'rbac.authorization.k8s.io': {
    ClusterRole: clusterRoleRules,
    ClusterRoleBinding: clusterRoleBindingRules,
    Role: roleRules,
    RoleBinding: roleBindingRules,
  },
});

/** The table is asked by kind, so that rules only ever meet objects of the kind they are for. */
function untyped(table: Record<string, Record<string, ResourceRules<never>>>): RulesTable {
  return table as unknown as RulesTable;
}
