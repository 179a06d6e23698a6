import type { RulesLoaders } from '../generic-rules.ts';

/** The rules of all kinds that are not workloads. */
export const platformRules: RulesLoaders = {
  '': {
    ComponentStatus: async () => (await import('./core/component-status.ts')).componentStatusRules,
    ConfigMap: async () => (await import('./core/config-map.ts')).configMapRules,
    Endpoints: async () => (await import('./core/endpoints.ts')).endpointsRules,
    Event: async () => (await import('./core/event.ts')).eventRules,
    LimitRange: async () => (await import('./core/limit-range.ts')).limitRangeRules,
    Namespace: async () => (await import('./core/namespace.ts')).namespaceRules,
    Node: async () => (await import('./core/node.ts')).nodeRules,
    PersistentVolume: async () => (await import('./core/persistent-volume.ts')).persistentVolumeRules,
    PersistentVolumeClaim: async () => (await import('./core/persistent-volume-claim.ts')).persistentVolumeClaimRules,
    ResourceQuota: async () => (await import('./core/resource-quota.ts')).resourceQuotaRules,
    Secret: async () => (await import('./core/secret.ts')).secretRules,
    Service: async () => (await import('./core/service.ts')).serviceRules,
    ServiceAccount: async () => (await import('./core/service-account.ts')).serviceAccountRules,
  },
  'admissionregistration.k8s.io': {
    MutatingAdmissionPolicy: async () => (await import('./admission/admission-policy.ts')).mutatingAdmissionPolicyRules,
    MutatingAdmissionPolicyBinding: async () =>
      (await import('./admission/admission-policy-binding.ts')).mutatingAdmissionPolicyBindingRules,
    MutatingWebhookConfiguration: async () =>
      (await import('./admission/webhook-configuration.ts')).mutatingWebhookConfigurationRules,
    ValidatingAdmissionPolicy: async () =>
      (await import('./admission/admission-policy.ts')).validatingAdmissionPolicyRules,
    ValidatingAdmissionPolicyBinding: async () =>
      (await import('./admission/admission-policy-binding.ts')).validatingAdmissionPolicyBindingRules,
    ValidatingWebhookConfiguration: async () =>
      (await import('./admission/webhook-configuration.ts')).validatingWebhookConfigurationRules,
  },
  'apiextensions.k8s.io': {
    CustomResourceDefinition: async () =>
      (await import('./extensions/custom-resource-definition.ts')).customResourceDefinitionRules,
  },
  'apiregistration.k8s.io': { APIService: async () => (await import('./extensions/api-service.ts')).apiServiceRules },
  'certificates.k8s.io': {
    CertificateSigningRequest: async () =>
      (await import('./cluster/certificate-signing-request.ts')).certificateSigningRequestRules,
  },
  'coordination.k8s.io': { Lease: async () => (await import('./cluster/lease.ts')).leaseRules },
  'discovery.k8s.io': {
    EndpointSlice: async () => (await import('./networking/endpoint-slice.ts')).endpointSliceRules,
  },
  'events.k8s.io': { Event: async () => (await import('./core/event.ts')).newEventRules },
  'flowcontrol.apiserver.k8s.io': {
    FlowSchema: async () => (await import('./flowcontrol/flow-schema.ts')).flowSchemaRules,
    PriorityLevelConfiguration: async () =>
      (await import('./flowcontrol/priority-level-configuration.ts')).priorityLevelConfigurationRules,
  },
  'networking.k8s.io': {
    Ingress: async () => (await import('./networking/ingress.ts')).ingressRules,
    IngressClass: async () => (await import('./networking/ingress-class.ts')).ingressClassRules,
    IPAddress: async () => (await import('./networking/ip-address.ts')).ipAddressRules,
    NetworkPolicy: async () => (await import('./networking/network-policy.ts')).networkPolicyRules,
    ServiceCIDR: async () => (await import('./networking/service-cidr.ts')).serviceCidrRules,
  },
  'node.k8s.io': { RuntimeClass: async () => (await import('./cluster/runtime-class.ts')).runtimeClassRules },
  'rbac.authorization.k8s.io': {
    ClusterRole: async () => (await import('./rbac/role.ts')).clusterRoleRules,
    ClusterRoleBinding: async () => (await import('./rbac/role-binding.ts')).clusterRoleBindingRules,
    Role: async () => (await import('./rbac/role.ts')).roleRules,
    RoleBinding: async () => (await import('./rbac/role-binding.ts')).roleBindingRules,
  },
  'resource.k8s.io': {
    DeviceClass: async () => (await import('./resource/resource-claim.ts')).deviceClassRules,
    ResourceClaim: async () => (await import('./resource/resource-claim.ts')).resourceClaimRules,
    ResourceClaimTemplate: async () => (await import('./resource/resource-claim.ts')).resourceClaimTemplateRules,
    ResourceSlice: async () => (await import('./resource/resource-slice.ts')).resourceSliceRules,
  },
  'scheduling.k8s.io': { PriorityClass: async () => (await import('./cluster/priority-class.ts')).priorityClassRules },
  'storage.k8s.io': {
    CSIDriver: async () => (await import('./storage/csi-driver.ts')).csiDriverRules,
    CSINode: async () => (await import('./storage/csi-node.ts')).csiNodeRules,
    CSIStorageCapacity: async () => (await import('./storage/csi-storage-capacity.ts')).csiStorageCapacityRules,
    StorageClass: async () => (await import('./storage/storage-class.ts')).storageClassRules,
    VolumeAttachment: async () => (await import('./storage/volume-attachment.ts')).volumeAttachmentRules,
    VolumeAttributesClass: async () => (await import('./storage/storage-class.ts')).volumeAttributesClassRules,
  },
};
