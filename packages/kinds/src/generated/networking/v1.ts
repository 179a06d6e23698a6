import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { TypedLocalObjectReference } from '../core/v1.ts';
import type { Condition, IntOrString, LabelSelector } from '../meta/v1.ts';

export interface HTTPIngressPath {
  backend: IngressBackend;
  path?: string;
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
}

export interface HTTPIngressRuleValue {
  paths: HTTPIngressPath[];
}

export interface IPAddress extends KubernetesObject {
  spec: IPAddressSpec;
}
export const IPAddress: ResourceType<IPAddress, 'Cluster'> = /* @__PURE__ */ resourceType<IPAddress, 'Cluster'>({ group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress', plural: 'ipaddresses', scope: 'Cluster', shortNames: ['ip'] });

export type IPAddressList = KubernetesList<IPAddress>;

export interface IPAddressSpec {
  parentRef: ParentReference;
}

export interface IPBlock {
  cidr: string;
  except?: string[];
}

export interface Ingress extends KubernetesObject {
  spec?: IngressSpec;
  status?: IngressStatus;
}
export const Ingress: ResourceType<Ingress, 'Namespaced'> = /* @__PURE__ */ resourceType<Ingress, 'Namespaced'>({ group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', plural: 'ingresses', scope: 'Namespaced', shortNames: ['ing'] });

export interface IngressBackend {
  resource?: TypedLocalObjectReference;
  service?: IngressServiceBackend;
}

export interface IngressClass extends KubernetesObject {
  spec?: IngressClassSpec;
}
export const IngressClass: ResourceType<IngressClass, 'Cluster'> = /* @__PURE__ */ resourceType<IngressClass, 'Cluster'>({ group: 'networking.k8s.io', version: 'v1', kind: 'IngressClass', plural: 'ingressclasses', scope: 'Cluster' });

export type IngressClassList = KubernetesList<IngressClass>;

export interface IngressClassParametersReference {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
  scope?: string;
}

export interface IngressClassSpec {
  controller?: string;
  parameters?: IngressClassParametersReference;
}

export type IngressList = KubernetesList<Ingress>;

export interface IngressLoadBalancerIngress {
  hostname?: string;
  ip?: string;
  ports?: IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  ingress?: IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  error?: string;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

export interface IngressRule {
  host?: string;
  http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  name: string;
  port?: ServiceBackendPort;
}

export interface IngressSpec {
  defaultBackend?: IngressBackend;
  ingressClassName?: string;
  rules?: IngressRule[];
  tls?: IngressTLS[];
}

export interface IngressStatus {
  loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  hosts?: string[];
  secretName?: string;
}

export interface NetworkPolicy extends KubernetesObject {
  spec?: NetworkPolicySpec;
}
export const NetworkPolicy: ResourceType<NetworkPolicy, 'Namespaced'> = /* @__PURE__ */ resourceType<NetworkPolicy, 'Namespaced'>({ group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies', scope: 'Namespaced', shortNames: ['netpol'] });

export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
}

export type NetworkPolicyList = KubernetesList<NetworkPolicy>;

export interface NetworkPolicyPeer {
  ipBlock?: IPBlock;
  namespaceSelector?: LabelSelector;
  podSelector?: LabelSelector;
}

export interface NetworkPolicyPort {
  endPort?: number;
  port?: IntOrString;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

export interface NetworkPolicySpec {
  egress?: NetworkPolicyEgressRule[];
  ingress?: NetworkPolicyIngressRule[];
  podSelector?: LabelSelector;
  policyTypes?: ('Egress' | 'Ingress')[];
}

export interface ParentReference {
  group?: string;
  name: string;
  namespace?: string;
  resource: string;
}

export interface ServiceBackendPort {
  name?: string;
  number?: number;
}

export interface ServiceCIDR extends KubernetesObject {
  spec?: ServiceCIDRSpec;
  status?: ServiceCIDRStatus;
}
export const ServiceCIDR: ResourceType<ServiceCIDR, 'Cluster'> = /* @__PURE__ */ resourceType<ServiceCIDR, 'Cluster'>({ group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR', plural: 'servicecidrs', scope: 'Cluster' });

export type ServiceCIDRList = KubernetesList<ServiceCIDR>;

export interface ServiceCIDRSpec {
  cidrs?: string[];
}

export interface ServiceCIDRStatus {
  conditions?: Condition[];
}
