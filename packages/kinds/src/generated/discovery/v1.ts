import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { ObjectReference } from '../core/v1.ts';

/** One endpoint of a service, usually a pod. */
export interface Endpoint {
  /** The addresses of the endpoint, 1 to 100 of the type `addressType`. Clients use only the first. */
  addresses: string[];
  /** Whether the endpoint is ready, serves or ends. */
  conditions?: EndpointConditions;
  /**
   * Topology labels of the endpoint, from the time before `nodeName` and `zone`. It cannot be written.
   * @deprecated See `nodeName` and `zone` instead.
   */
  deprecatedTopology?: Record<string, string>;
  /** For which nodes and zones the endpoint is best used. */
  hints?: EndpointHints;
  /** The host name of the endpoint in DNS, a DNS label. */
  hostname?: string;
  /** The node that the endpoint is on. */
  nodeName?: string;
  /** The object that the endpoint stands for. */
  targetRef?: ObjectReference;
  /** The zone that the endpoint is in. */
  zone?: string;
}

/** Whether an endpoint is ready, serves or ends. */
export interface EndpointConditions {
  /**
   * Whether the endpoint should get traffic; without it, it should. It is false for endpoints that end, unless the
   * service publishes those that are not ready.
   */
  ready?: boolean;
  /** Whether the endpoint can answer, even while it is ending. Without it, the endpoint counts as able to. */
  serving?: boolean;
  /** Whether the endpoint is ending. Without it, the endpoint counts as not ending. */
  terminating?: boolean;
}

/** For which nodes and zones an endpoint is best used. */
export interface EndpointHints {
  /** The nodes, at most 8. */
  forNodes?: ForNode[];
  /** The zones, at most 8. */
  forZones?: ForZone[];
}

/** A port of the endpoints of a slice. */
export interface EndpointPort {
  /** The application protocol at the port, as a hint, such as `https` or the qualified `kubernetes.io/h2c`. */
  appProtocol?: string;
  /**
   * The name of the service's port, a DNS label or empty. Names in a slice differ.
   * @default ""
   */
  name?: string;
  /** The number of the port. Without it, the consumer decides which ports are meant. */
  port?: number;
  /**
   * The protocol that is spoken at the port.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   * @default "TCP"
   */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/**
 * Some of the addresses behind a service. A service has as many slices as it needs, found by the label
 * `kubernetes.io/service-name`.
 */
export interface EndpointSlice extends KubernetesObject {
  /**
   * The sort of addresses in the slice. It cannot change after creation.
   * - `IPv4`: IPv4 addresses.
   * - `IPv6`: IPv6 addresses.
   * - `FQDN`: Domain names; deprecated.
   */
  addressType: 'FQDN' | 'IPv4' | 'IPv6';
  /** The endpoints, at most 1000. */
  endpoints?: Endpoint[];
  /** The ports of each endpoint, at most 20000, with names that differ. Without any, the slice defines no ports. */
  ports?: EndpointPort[];
}
export const EndpointSlice: ResourceType<EndpointSlice, 'Namespaced'> = /* @__PURE__ */ resourceType<EndpointSlice, 'Namespaced'>({ group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice', plural: 'endpointslices', scope: 'Namespaced' });

/** A list of EndpointSlices. */
export type EndpointSliceList = KubernetesList<EndpointSlice>;

/** A node for which an endpoint is best used. */
export interface ForNode {
  /** The name of the node. */
  name: string;
}

/** A zone for which an endpoint is best used. */
export interface ForZone {
  /** The name of the zone. */
  name: string;
}
