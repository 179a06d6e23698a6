import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { ObjectReference } from '../core/v1.ts';

export interface Endpoint {
  addresses: string[];
  conditions?: EndpointConditions;
  deprecatedTopology?: Record<string, string>;
  hints?: EndpointHints;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
  zone?: string;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forNodes?: ForNode[];
  forZones?: ForZone[];
}

export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port?: number;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

export interface EndpointSlice extends KubernetesObject {
  addressType: 'FQDN' | 'IPv4' | 'IPv6';
  endpoints?: Endpoint[];
  ports?: EndpointPort[];
}
export const EndpointSlice: ResourceType<EndpointSlice, 'Namespaced'> = /* @__PURE__ */ resourceType<EndpointSlice, 'Namespaced'>({ group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice', plural: 'endpointslices', scope: 'Namespaced' });

export type EndpointSliceList = KubernetesList<EndpointSlice>;

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}
