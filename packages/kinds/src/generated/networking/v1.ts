import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { TypedLocalObjectReference } from '../core/v1.ts';
import type { Condition, IntOrString, LabelSelector } from '../meta/v1.ts';

/** Where the requests for one path go. */
export interface HTTPIngressPath {
  /** The service or other object that gets the requests. */
  backend: IngressBackend;
  /** The path, which begins with `/` and is required for `Exact` and `Prefix`. The longest match wins. */
  path?: string;
  /**
   * How `path` is compared with the path of a request.
   * - `Exact`: Both are the same, case included.
   * - `Prefix`: The request's path begins with the parts of `path`, compared between slashes.
   * - `ImplementationSpecific`: As the controller decides.
   */
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix';
}

/** Where the requests for one host go, by path. */
export interface HTTPIngressRuleValue {
  /** The paths and their backends, at least one. */
  paths: HTTPIngressPath[];
}

/** An IP address that is in use, above all by a service. Its name is the address in its canonical form. */
export interface IPAddress extends KubernetesObject {
  /** The object that uses the address. */
  spec: IPAddressSpec;
}
export const IPAddress: ResourceType<IPAddress, 'Cluster'> = /* @__PURE__ */ resourceType<IPAddress, 'Cluster'>({ group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress', plural: 'ipaddresses', scope: 'Cluster', shortNames: ['ip'] });

/** A list of IPAddresses. */
export type IPAddressList = KubernetesList<IPAddress>;

/** The object that uses an IP address. */
export interface IPAddressSpec {
  /** The object that the address belongs to. It is required. It cannot change after creation. */
  parentRef: ParentReference;
}

/** A range of IP addresses, with exceptions. */
export interface IPBlock {
  /** The range, as `192.168.0.0/16` or `2001:db8::/64`. */
  cidr: string;
  /** Ranges within `cidr` that are left out. */
  except?: string[];
}

/** Leads HTTP traffic from outside the cluster to services, by host and path. */
export interface Ingress extends KubernetesObject {
  /** Which traffic goes to which service. */
  spec?: IngressSpec;
  /** Where the load balancer of the Ingress is reached. */
  status?: IngressStatus;
}
export const Ingress: ResourceType<Ingress, 'Namespaced'> = /* @__PURE__ */ resourceType<Ingress, 'Namespaced'>({ group: 'networking.k8s.io', version: 'v1', kind: 'Ingress', plural: 'ingresses', scope: 'Namespaced', shortNames: ['ing'] });

/** Says what gets the requests. Exactly one field is given. */
export interface IngressBackend {
  /** An object in the Ingress's namespace that the controller understands. */
  resource?: TypedLocalObjectReference;
  /** A service in the Ingress's namespace. */
  service?: IngressServiceBackend;
}

/** A controller that serves Ingresses. An annotation makes one class the default. */
export interface IngressClass extends KubernetesObject {
  /** Which controller serves the class, with which parameters. */
  spec?: IngressClassSpec;
}
export const IngressClass: ResourceType<IngressClass, 'Cluster'> = /* @__PURE__ */ resourceType<IngressClass, 'Cluster'>({ group: 'networking.k8s.io', version: 'v1', kind: 'IngressClass', plural: 'ingressclasses', scope: 'Cluster' });

/** A list of IngressClasses. */
export type IngressClassList = KubernetesList<IngressClass>;

/** An object with settings for a controller of Ingresses. */
export interface IngressClassParametersReference {
  /** The API group of the object's kind. If it is absent, the kind must be of the core group. */
  apiGroup?: string;
  /** The kind of the object. */
  kind: string;
  /** The name of the object. */
  name: string;
  /** The namespace of the object. It is required for scope `Namespace` and not allowed for `Cluster`. */
  namespace?: string;
  /**
   * Whether the object is in a namespace, either `Cluster` or `Namespace`.
   * @default "Cluster"
   */
  scope?: string;
}

/** Which controller serves a class of Ingresses. */
export interface IngressClassSpec {
  /**
   * The name of the controller, a domain with a path such as `example.com/ingress`, at most 250 characters. It cannot
   * change after creation.
   */
  controller?: string;
  /** An object with more settings for the controller. */
  parameters?: IngressClassParametersReference;
}

/** A list of Ingresses. */
export type IngressList = KubernetesList<Ingress>;

/** An address of the load balancer, by IP or by name. */
export interface IngressLoadBalancerIngress {
  /** The DNS name of the load balancer, if it is reached by name. */
  hostname?: string;
  /** The IP address of the load balancer, if it is reached by address. */
  ip?: string;
  /** The state of each port. */
  ports?: IngressPortStatus[];
}

/** The addresses of the load balancer of an Ingress. */
export interface IngressLoadBalancerStatus {
  /** The addresses of the load balancer. */
  ingress?: IngressLoadBalancerIngress[];
}

/** The state of one port of the load balancer. */
export interface IngressPortStatus {
  /** Why the port does not work, as a CamelCase word that may be qualified as in `example.com/Taken`. */
  error?: string;
  /** The number of the port. */
  port: number;
  /**
   * The protocol of the port.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   */
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

/** Where the traffic for one host goes. */
export interface IngressRule {
  /** The host, a domain name without port, whose first part may be `*`. Without it, all hosts are meant. */
  host?: string;
  /** Where requests go, by path. Without it, all of them go to the default backend. */
  http?: HTTPIngressRuleValue;
}

/** A service that gets requests. */
export interface IngressServiceBackend {
  /** The name of the service. */
  name: string;
  /** The port of the service. It is required. */
  port?: ServiceBackendPort;
}

/** Which traffic goes to which service. At least one of `defaultBackend` and `rules` is given. */
export interface IngressSpec {
  /** Where traffic goes that no rule matches. Without it, the controller decides. */
  defaultBackend?: IngressBackend;
  /**
   * The IngressClass whose controller serves the Ingress. Admission sets the default class if it is absent and there
   * is no annotation in its place.
   */
  ingressClassName?: string;
  /** The rules for single hosts. Traffic that none matches goes to `defaultBackend`. */
  rules?: IngressRule[];
  /** The certificates for TLS on port 443. If several hosts share the port, clients must send the host name by SNI. */
  tls?: IngressTLS[];
}

/** Where an Ingress is reached. */
export interface IngressStatus {
  /** The addresses of the load balancer. */
  loadBalancer?: IngressLoadBalancerStatus;
}

/** A certificate for some hosts. */
export interface IngressTLS {
  /** The hosts that the certificate is for. Without any, the controller decides. */
  hosts?: string[];
  /**
   * The Secret with the certificate and key, of type `kubernetes.io/tls`. Without it, the controller routes TLS
   * connections by their SNI host name alone.
   */
  secretName?: string;
}

/** Which traffic pods may have. Pods that no policy selects may have any; several policies add up. */
export interface NetworkPolicy extends KubernetesObject {
  /** Which pods the policy is about, and which traffic it allows. */
  spec?: NetworkPolicySpec;
}
export const NetworkPolicy: ResourceType<NetworkPolicy, 'Namespaced'> = /* @__PURE__ */ resourceType<NetworkPolicy, 'Namespaced'>({ group: 'networking.k8s.io', version: 'v1', kind: 'NetworkPolicy', plural: 'networkpolicies', scope: 'Namespaced', shortNames: ['netpol'] });

/** Outgoing traffic that is allowed, if it fits one port and one destination. */
export interface NetworkPolicyEgressRule {
  /** The ports of the destinations. Without any, all ports are allowed. */
  ports?: NetworkPolicyPort[];
  /** The destinations of the traffic. Without any, all destinations are allowed. */
  to?: NetworkPolicyPeer[];
}

/** Incoming traffic that is allowed, if it fits one source and one port. */
export interface NetworkPolicyIngressRule {
  /** The sources of the traffic. Without any, all sources are allowed. */
  from?: NetworkPolicyPeer[];
  /** The ports of the selected pods. Without any, all ports are allowed. */
  ports?: NetworkPolicyPort[];
}

/** A list of NetworkPolicies. */
export type NetworkPolicyList = KubernetesList<NetworkPolicy>;

/** Pods or addresses at the other end. At least one field is given, and `ipBlock` excludes the others. */
export interface NetworkPolicyPeer {
  /** A range of IP addresses. */
  ipBlock?: IPBlock;
  /**
   * Selects namespaces by labels, where an empty selector selects all. With `podSelector`, the pods that it selects
   * there are meant, without it all pods there.
   */
  namespaceSelector?: LabelSelector;
  /**
   * Selects pods by labels, in the namespaces of `namespaceSelector` or else in the policy's own. An empty selector
   * selects all pods.
   */
  podSelector?: LabelSelector;
}

/** A port, or a range of ports, that traffic may use. */
export interface NetworkPolicyPort {
  /** The last port of the range from `port` on. It needs a number in `port` and must not be lower. */
  endPort?: number;
  /** The port, as a number or as the name of a port of the pods. Without it, all ports are meant. */
  port?: IntOrString;
  /**
   * The protocol of the traffic.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   * @default "TCP"
   */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** Which pods a policy is about, and which traffic it allows. */
export interface NetworkPolicySpec {
  /** Outgoing traffic that is allowed. Without any rule, none is, if `policyTypes` has `Egress`. */
  egress?: NetworkPolicyEgressRule[];
  /** Incoming traffic that is allowed. Without any rule, none is, if `policyTypes` has `Ingress`. */
  ingress?: NetworkPolicyIngressRule[];
  /** Selects the pods in the namespace that the policy is about. An empty selector selects all of them. */
  podSelector?: LabelSelector;
  /**
   * Which traffic the policy limits, of `Ingress` and `Egress`. The server sets `Ingress`, and `Egress` as well if
   * there are egress rules.
   */
  policyTypes?: ('Egress' | 'Ingress')[];
}

/** The object that an IP address belongs to. */
export interface ParentReference {
  /** The API group of the object's resource, empty for the core group. */
  group?: string;
  /** The name of the object. */
  name: string;
  /** The namespace of the object. */
  namespace?: string;
  /** The resource of the object, such as `services`. */
  resource: string;
}

/** A port of a service, by name or by number. Exactly one is given. */
export interface ServiceBackendPort {
  /** The name of the port. */
  name?: string;
  /** The number of the port, 1 to 65535. */
  number?: number;
}

/** Ranges of IP addresses from which services get theirs. */
export interface ServiceCIDR extends KubernetesObject {
  /** The ranges. */
  spec?: ServiceCIDRSpec;
  /** Whether the ranges are in use. */
  status?: ServiceCIDRStatus;
}
export const ServiceCIDR: ResourceType<ServiceCIDR, 'Cluster'> = /* @__PURE__ */ resourceType<ServiceCIDR, 'Cluster'>({ group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR', plural: 'servicecidrs', scope: 'Cluster' });

/** A list of ServiceCIDRs. */
export type ServiceCIDRList = KubernetesList<ServiceCIDR>;

/** Ranges of IP addresses from which services get theirs. */
export interface ServiceCIDRSpec {
  /**
   * The ranges, one or two of different families, as `10.96.0.0/16`. They do not change, except that a second one can
   * be added.
   */
  cidrs?: string[];
}

/** Whether the ranges are in use. */
export interface ServiceCIDRStatus {
  /** Observations such as `Ready`. */
  conditions?: Condition[];
}
