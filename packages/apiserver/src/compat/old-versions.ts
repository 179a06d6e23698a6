import { table } from '@pintle/machinery/table';

/**
 * Versions that Kubernetes still decodes without serving them, with their kinds. A body in one of them gives another error than
 * one of an unknown kind.
 */
const OLD_KINDS: Readonly<Record<string, readonly string[]>> = table({
  'admissionregistration.k8s.io/v1beta1': [
    'ValidatingWebhookConfiguration',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
  ],
  'apiextensions.k8s.io/v1beta1': ['CustomResourceDefinition'],
  'apps/v1beta1': ['ControllerRevision', 'Deployment', 'Scale', 'StatefulSet'],
  'apps/v1beta2': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'Scale', 'StatefulSet'],
  'authentication.k8s.io/v1alpha1': ['SelfSubjectReview'],
  'authentication.k8s.io/v1beta1': ['SelfSubjectReview', 'TokenReview'],
  'authorization.k8s.io/v1beta1': [
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
  ],
  'batch/v1beta1': ['CronJob'],
  'certificates.k8s.io/v1beta1': ['CertificateSigningRequest'],
  'coordination.k8s.io/v1beta1': ['Lease'],
  'discovery.k8s.io/v1beta1': ['EndpointSlice'],
  'events.k8s.io/v1beta1': ['Event'],
  'extensions/v1beta1': ['DaemonSet', 'Deployment', 'Ingress', 'NetworkPolicy', 'ReplicaSet', 'Scale'],
  'flowcontrol.apiserver.k8s.io/v1beta1': ['FlowSchema', 'PriorityLevelConfiguration'],
  'flowcontrol.apiserver.k8s.io/v1beta2': ['FlowSchema', 'PriorityLevelConfiguration'],
  'flowcontrol.apiserver.k8s.io/v1beta3': ['FlowSchema', 'PriorityLevelConfiguration'],
  'networking.k8s.io/v1beta1': ['IPAddress', 'Ingress', 'IngressClass', 'ServiceCIDR'],
  'node.k8s.io/v1alpha1': ['RuntimeClass'],
  'node.k8s.io/v1beta1': ['RuntimeClass'],
  'policy/v1beta1': ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1alpha1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'rbac.authorization.k8s.io/v1beta1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'scheduling.k8s.io/v1beta1': ['PriorityClass'],
  'storage.k8s.io/v1alpha1': ['CSIStorageCapacity', 'VolumeAttachment'],
  'storage.k8s.io/v1beta1': ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment'],
});

export function isOldVersion(apiVersion: string, kind: string): boolean {
  return Object.hasOwn(OLD_KINDS, apiVersion) && OLD_KINDS[apiVersion]!.includes(kind);
}
