import type { BuiltinGroup } from '../discovery.ts';

const verbs1: readonly string[] = ['create'];
const verbs2: readonly string[] = ['get', 'list'];
const verbs3: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const verbs4: readonly string[] = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const verbs5: readonly string[] = ['update'];
const verbs6: readonly string[] = ['get', 'patch', 'update'];
const verbs7: readonly string[] = ['create', 'delete', 'get', 'patch', 'update'];
const verbs8: readonly string[] = ['create', 'get'];
const verbs9: readonly string[] = ['get'];

export const groups: readonly BuiltinGroup[] = [
  { group: '', versions: [
    { version: 'v1', resources: [
      { resource: 'bindings', singular: 'binding', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Binding' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'componentstatuses', singular: 'componentstatus', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ComponentStatus' }, verbs: verbs2, acceptedTypes: [], shortNames: ['cs'], categories: [], subresources: [] },
      { resource: 'configmaps', singular: 'configmap', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ConfigMap' }, verbs: verbs3, acceptedTypes: [], shortNames: ['cm'], categories: [], subresources: [] },
      { resource: 'endpoints', singular: 'endpoints', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Endpoints' }, verbs: verbs3, acceptedTypes: [], shortNames: ['ep'], categories: [], subresources: [] },
      { resource: 'events', singular: 'event', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Event' }, verbs: verbs3, acceptedTypes: [], shortNames: ['ev'], categories: [], subresources: [] },
      { resource: 'limitranges', singular: 'limitrange', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'LimitRange' }, verbs: verbs3, acceptedTypes: [], shortNames: ['limits'], categories: [], subresources: [] },
      { resource: 'namespaces', singular: 'namespace', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: verbs4, acceptedTypes: [], shortNames: ['ns'], categories: [], subresources: [{ subresource: 'finalize', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: verbs5, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'Namespace' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'nodes', singular: 'node', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'Node' }, verbs: verbs3, acceptedTypes: [], shortNames: ['no'], categories: [], subresources: [{ subresource: 'proxy', responseKind: { group: '', version: '', kind: 'NodeProxyOptions' }, verbs: verbs7, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'Node' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'persistentvolumeclaims', singular: 'persistentvolumeclaim', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'PersistentVolumeClaim' }, verbs: verbs3, acceptedTypes: [], shortNames: ['pvc'], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'PersistentVolumeClaim' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'persistentvolumes', singular: 'persistentvolume', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'PersistentVolume' }, verbs: verbs3, acceptedTypes: [], shortNames: ['pv'], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'PersistentVolume' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'pods', singular: 'pod', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: verbs3, acceptedTypes: [], shortNames: ['po'], categories: ['all'], subresources: [{ subresource: 'attach', responseKind: { group: '', version: '', kind: 'PodAttachOptions' }, verbs: verbs8, acceptedTypes: [] }, { subresource: 'binding', responseKind: { group: '', version: '', kind: 'Binding' }, verbs: verbs1, acceptedTypes: [] }, { subresource: 'ephemeralcontainers', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'eviction', responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: verbs1, acceptedTypes: [] }, { subresource: 'exec', responseKind: { group: '', version: '', kind: 'PodExecOptions' }, verbs: verbs8, acceptedTypes: [] }, { subresource: 'log', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: verbs9, acceptedTypes: [] }, { subresource: 'portforward', responseKind: { group: '', version: '', kind: 'PodPortForwardOptions' }, verbs: verbs8, acceptedTypes: [] }, { subresource: 'proxy', responseKind: { group: '', version: '', kind: 'PodProxyOptions' }, verbs: verbs7, acceptedTypes: [] }, { subresource: 'resize', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'Pod' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'podtemplates', singular: 'podtemplate', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'PodTemplate' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'replicationcontrollers', singular: 'replicationcontroller', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ReplicationController' }, verbs: verbs3, acceptedTypes: [], shortNames: ['rc'], categories: ['all'], subresources: [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'ReplicationController' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'resourcequotas', singular: 'resourcequota', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ResourceQuota' }, verbs: verbs3, acceptedTypes: [], shortNames: ['quota'], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'ResourceQuota' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'secrets', singular: 'secret', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Secret' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'serviceaccounts', singular: 'serviceaccount', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ServiceAccount' }, verbs: verbs3, acceptedTypes: [], shortNames: ['sa'], categories: [], subresources: [{ subresource: 'token', responseKind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, verbs: verbs1, acceptedTypes: [] }] },
      { resource: 'services', singular: 'service', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Service' }, verbs: verbs3, acceptedTypes: [], shortNames: ['svc'], categories: ['all'], subresources: [{ subresource: 'proxy', responseKind: { group: '', version: '', kind: 'ServiceProxyOptions' }, verbs: verbs7, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'Service' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'apiregistration.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'apiservices', singular: 'apiservice', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'APIService' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'APIService' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'apps', versions: [
    { version: 'v1', resources: [
      { resource: 'controllerrevisions', singular: 'controllerrevision', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ControllerRevision' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'daemonsets', singular: 'daemonset', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'DaemonSet' }, verbs: verbs3, acceptedTypes: [], shortNames: ['ds'], categories: ['all'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'DaemonSet' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'deployments', singular: 'deployment', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Deployment' }, verbs: verbs3, acceptedTypes: [], shortNames: ['deploy'], categories: ['all'], subresources: [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'Deployment' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'replicasets', singular: 'replicaset', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ReplicaSet' }, verbs: verbs3, acceptedTypes: [], shortNames: ['rs'], categories: ['all'], subresources: [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'ReplicaSet' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'statefulsets', singular: 'statefulset', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'StatefulSet' }, verbs: verbs3, acceptedTypes: [], shortNames: ['sts'], categories: ['all'], subresources: [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'StatefulSet' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'events.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'events', singular: 'event', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Event' }, verbs: verbs3, acceptedTypes: [], shortNames: ['ev'], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'authentication.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'selfsubjectreviews', singular: 'selfsubjectreview', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'SelfSubjectReview' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'tokenreviews', singular: 'tokenreview', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'TokenReview' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'authorization.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'localsubjectaccessreviews', singular: 'localsubjectaccessreview', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'LocalSubjectAccessReview' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'selfsubjectaccessreviews', singular: 'selfsubjectaccessreview', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'SelfSubjectAccessReview' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'selfsubjectrulesreviews', singular: 'selfsubjectrulesreview', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'SelfSubjectRulesReview' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'subjectaccessreviews', singular: 'subjectaccessreview', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'SubjectAccessReview' }, verbs: verbs1, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'autoscaling', versions: [
    { version: 'v2', resources: [
      { resource: 'horizontalpodautoscalers', singular: 'horizontalpodautoscaler', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'HorizontalPodAutoscaler' }, verbs: verbs3, acceptedTypes: [], shortNames: ['hpa'], categories: ['all'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'HorizontalPodAutoscaler' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
    { version: 'v1', resources: [
      { resource: 'horizontalpodautoscalers', singular: 'horizontalpodautoscaler', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'HorizontalPodAutoscaler' }, verbs: verbs3, acceptedTypes: [], shortNames: ['hpa'], categories: ['all'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'HorizontalPodAutoscaler' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'batch', versions: [
    { version: 'v1', resources: [
      { resource: 'cronjobs', singular: 'cronjob', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'CronJob' }, verbs: verbs3, acceptedTypes: [], shortNames: ['cj'], categories: ['all'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'CronJob' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'jobs', singular: 'job', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Job' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['all'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'Job' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'certificates.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'certificatesigningrequests', singular: 'certificatesigningrequest', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'CertificateSigningRequest' }, verbs: verbs3, acceptedTypes: [], shortNames: ['csr'], categories: [], subresources: [{ subresource: 'approval', responseKind: { group: '', version: '', kind: 'CertificateSigningRequest' }, verbs: verbs6, acceptedTypes: [] }, { subresource: 'status', responseKind: { group: '', version: '', kind: 'CertificateSigningRequest' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'networking.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'ingressclasses', singular: 'ingressclass', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'IngressClass' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'ingresses', singular: 'ingress', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Ingress' }, verbs: verbs3, acceptedTypes: [], shortNames: ['ing'], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'Ingress' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'ipaddresses', singular: 'ipaddress', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'IPAddress' }, verbs: verbs3, acceptedTypes: [], shortNames: ['ip'], categories: [], subresources: [] },
      { resource: 'networkpolicies', singular: 'networkpolicy', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'NetworkPolicy' }, verbs: verbs3, acceptedTypes: [], shortNames: ['netpol'], categories: [], subresources: [] },
      { resource: 'servicecidrs', singular: 'servicecidr', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ServiceCIDR' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'ServiceCIDR' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'policy', versions: [
    { version: 'v1', resources: [
      { resource: 'poddisruptionbudgets', singular: 'poddisruptionbudget', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'PodDisruptionBudget' }, verbs: verbs3, acceptedTypes: [], shortNames: ['pdb'], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'PodDisruptionBudget' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'rbac.authorization.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'clusterrolebindings', singular: 'clusterrolebinding', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ClusterRoleBinding' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'clusterroles', singular: 'clusterrole', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ClusterRole' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'rolebindings', singular: 'rolebinding', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'RoleBinding' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'roles', singular: 'role', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Role' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'storage.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'csidrivers', singular: 'csidriver', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'CSIDriver' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'csinodes', singular: 'csinode', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'CSINode' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'csistoragecapacities', singular: 'csistoragecapacity', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'CSIStorageCapacity' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'storageclasses', singular: 'storageclass', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'StorageClass' }, verbs: verbs3, acceptedTypes: [], shortNames: ['sc'], categories: [], subresources: [] },
      { resource: 'volumeattachments', singular: 'volumeattachment', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'VolumeAttachment' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'VolumeAttachment' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'volumeattributesclasses', singular: 'volumeattributesclass', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'VolumeAttributesClass' }, verbs: verbs3, acceptedTypes: [], shortNames: ['vac'], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'admissionregistration.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'mutatingadmissionpolicies', singular: 'mutatingadmissionpolicy', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'MutatingAdmissionPolicy' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [] },
      { resource: 'mutatingadmissionpolicybindings', singular: 'mutatingadmissionpolicybinding', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'MutatingAdmissionPolicyBinding' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [] },
      { resource: 'mutatingwebhookconfigurations', singular: 'mutatingwebhookconfiguration', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'MutatingWebhookConfiguration' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [] },
      { resource: 'validatingadmissionpolicies', singular: 'validatingadmissionpolicy', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ValidatingAdmissionPolicy' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'ValidatingAdmissionPolicy' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'validatingadmissionpolicybindings', singular: 'validatingadmissionpolicybinding', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ValidatingAdmissionPolicyBinding' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [] },
      { resource: 'validatingwebhookconfigurations', singular: 'validatingwebhookconfiguration', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ValidatingWebhookConfiguration' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: ['api-extensions'], subresources: [] },
    ] },
  ] },
  { group: 'apiextensions.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'customresourcedefinitions', singular: 'customresourcedefinition', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'CustomResourceDefinition' }, verbs: verbs3, acceptedTypes: [], shortNames: ['crd', 'crds'], categories: ['api-extensions'], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'CustomResourceDefinition' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
  { group: 'scheduling.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'priorityclasses', singular: 'priorityclass', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'PriorityClass' }, verbs: verbs3, acceptedTypes: [], shortNames: ['pc'], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'coordination.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'leases', singular: 'lease', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'Lease' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'node.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'runtimeclasses', singular: 'runtimeclass', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'RuntimeClass' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'discovery.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'endpointslices', singular: 'endpointslice', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'EndpointSlice' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'resource.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'deviceclasses', singular: 'deviceclass', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'DeviceClass' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'resourceclaims', singular: 'resourceclaim', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ResourceClaim' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'ResourceClaim' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'resourceclaimtemplates', singular: 'resourceclaimtemplate', scope: 'Namespaced', responseKind: { group: '', version: '', kind: 'ResourceClaimTemplate' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
      { resource: 'resourceslices', singular: 'resourceslice', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'ResourceSlice' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [] },
    ] },
  ] },
  { group: 'flowcontrol.apiserver.k8s.io', versions: [
    { version: 'v1', resources: [
      { resource: 'flowschemas', singular: 'flowschema', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'FlowSchema' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'FlowSchema' }, verbs: verbs6, acceptedTypes: [] }] },
      { resource: 'prioritylevelconfigurations', singular: 'prioritylevelconfiguration', scope: 'Cluster', responseKind: { group: '', version: '', kind: 'PriorityLevelConfiguration' }, verbs: verbs3, acceptedTypes: [], shortNames: [], categories: [], subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: 'PriorityLevelConfiguration' }, verbs: verbs6, acceptedTypes: [] }] },
    ] },
  ] },
];
