import type { ResourceRules } from '@pintle/machinery/rules';
import type { RulesTable } from '../rules-table.ts';
import { mutatingAdmissionPolicyRules, validatingAdmissionPolicyRules } from './admission/admission-policy.ts';
import {
  mutatingAdmissionPolicyBindingRules,
  validatingAdmissionPolicyBindingRules,
} from './admission/admission-policy-binding.ts';
import {
  mutatingWebhookConfigurationRules,
  validatingWebhookConfigurationRules,
} from './admission/webhook-configuration.ts';
import { certificateSigningRequestRules } from './cluster/certificate-signing-request.ts';
import { leaseRules } from './cluster/lease.ts';
import { priorityClassRules } from './cluster/priority-class.ts';
import { runtimeClassRules } from './cluster/runtime-class.ts';
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
import { flowSchemaRules } from './flowcontrol/flow-schema.ts';
import { priorityLevelConfigurationRules } from './flowcontrol/priority-level-configuration.ts';
import { endpointSliceRules } from './networking/endpoint-slice.ts';
import { ingressRules } from './networking/ingress.ts';
import { ingressClassRules } from './networking/ingress-class.ts';
import { ipAddressRules } from './networking/ip-address.ts';
import { networkPolicyRules } from './networking/network-policy.ts';
import { serviceCidrRules } from './networking/service-cidr.ts';
import { clusterRoleRules, roleRules } from './rbac/role.ts';
import { clusterRoleBindingRules, roleBindingRules } from './rbac/role-binding.ts';
import { deviceClassRules, resourceClaimRules, resourceClaimTemplateRules } from './resource/resource-claim.ts';
import { resourceSliceRules } from './resource/resource-slice.ts';
import { csiDriverRules } from './storage/csi-driver.ts';
import { csiNodeRules } from './storage/csi-node.ts';
import { csiStorageCapacityRules } from './storage/csi-storage-capacity.ts';
import { storageClassRules, volumeAttributesClassRules } from './storage/storage-class.ts';
import { volumeAttachmentRules } from './storage/volume-attachment.ts';

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
  'admissionregistration.k8s.io': {
    MutatingAdmissionPolicy: mutatingAdmissionPolicyRules,
    MutatingAdmissionPolicyBinding: mutatingAdmissionPolicyBindingRules,
    MutatingWebhookConfiguration: mutatingWebhookConfigurationRules,
    ValidatingAdmissionPolicy: validatingAdmissionPolicyRules,
    ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBindingRules,
    ValidatingWebhookConfiguration: validatingWebhookConfigurationRules,
  },
  'apiextensions.k8s.io': { CustomResourceDefinition: customResourceDefinitionRules },
  'apiregistration.k8s.io': { APIService: apiServiceRules },
  'certificates.k8s.io': { CertificateSigningRequest: certificateSigningRequestRules },
  'coordination.k8s.io': { Lease: leaseRules },
  'discovery.k8s.io': { EndpointSlice: endpointSliceRules },
  'events.k8s.io': { Event: newEventRules },
  'flowcontrol.apiserver.k8s.io': {
    FlowSchema: flowSchemaRules,
    PriorityLevelConfiguration: priorityLevelConfigurationRules,
  },
  'networking.k8s.io': {
    Ingress: ingressRules,
    IngressClass: ingressClassRules,
    IPAddress: ipAddressRules,
    NetworkPolicy: networkPolicyRules,
    ServiceCIDR: serviceCidrRules,
  },
  'node.k8s.io': { RuntimeClass: runtimeClassRules },
  'rbac.authorization.k8s.io': {
    ClusterRole: clusterRoleRules,
    ClusterRoleBinding: clusterRoleBindingRules,
    Role: roleRules,
    RoleBinding: roleBindingRules,
  },
  'resource.k8s.io': {
    DeviceClass: deviceClassRules,
    ResourceClaim: resourceClaimRules,
    ResourceClaimTemplate: resourceClaimTemplateRules,
    ResourceSlice: resourceSliceRules,
  },
  'scheduling.k8s.io': { PriorityClass: priorityClassRules },
  'storage.k8s.io': {
    CSIDriver: csiDriverRules,
    CSINode: csiNodeRules,
    CSIStorageCapacity: csiStorageCapacityRules,
    StorageClass: storageClassRules,
    VolumeAttachment: volumeAttachmentRules,
    VolumeAttributesClass: volumeAttributesClassRules,
  },
});

/** The table is asked by kind, so that rules only ever meet objects of the kind they are for. */
function untyped(table: Record<string, Record<string, ResourceRules<never>>>): RulesTable {
  return table as unknown as RulesTable;
}
