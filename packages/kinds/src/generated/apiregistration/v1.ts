import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

export interface APIService extends KubernetesObject {
  spec?: APIServiceSpec;
  status?: APIServiceStatus;
}
export const APIService: ResourceType<APIService, 'Cluster'> = /* @__PURE__ */ resourceType<APIService, 'Cluster'>({ group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', plural: 'apiservices', scope: 'Cluster', categories: ['api-extensions'] });

export interface APIServiceCondition {
  lastTransitionTime?: Time | null;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

export type APIServiceList = KubernetesList<APIService>;

export interface APIServiceSpec {
  caBundle?: string;
  group?: string;
  groupPriorityMinimum: number;
  insecureSkipTLSVerify?: boolean;
  service?: ServiceReference;
  version?: string;
  versionPriority: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[];
}

export interface ServiceReference {
  name?: string;
  namespace?: string;
  port?: number;
}
