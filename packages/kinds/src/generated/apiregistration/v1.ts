import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

/** The server that offers one version of an API group. Its name is `VERSION.GROUP`. */
export interface APIService extends KubernetesObject {
  /** The group version, and the server that offers it. */
  spec?: APIServiceSpec;
  /** Whether the server is available. */
  status?: APIServiceStatus;
}
export const APIService: ResourceType<APIService, 'Cluster'> = /* @__PURE__ */ resourceType<APIService, 'Cluster'>({ group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService', plural: 'apiservices', scope: 'Cluster', categories: ['api-extensions'] });

/** An observation about the server of a group version. */
export interface APIServiceCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Available`. */
  type: string;
}

/** A list of APIServices. */
export type APIServiceList = KubernetesList<APIService>;

/** A group version, and the server that offers it. */
export interface APIServiceSpec {
  /**
   * The certificates that may have signed that of the server, in PEM and base64. Without it, those of the system are
   * trusted.
   */
  caBundle?: string;
  /** The API group, as in the name of the APIService. */
  group?: string;
  /**
   * The least priority of the group, 1 to 20000. Groups with higher numbers come first in discovery; the highest
   * number among the group's versions counts.
   */
  groupPriorityMinimum: number;
  /** Whether the server's certificate goes unchecked. It excludes `caBundle` and is not safe. */
  insecureSkipTLSVerify?: boolean;
  /** The service that leads to the server. Without it, this API server itself offers the group version. */
  service?: ServiceReference;
  /** The API version, as in the name of the APIService. */
  version?: string;
  /**
   * The priority of the version in its group, 1 to 1000. Versions with higher numbers come first; among equals,
   * stability and number decide.
   */
  versionPriority: number;
}

/** Whether the server of a group version is available. */
export interface APIServiceStatus {
  /** Observations such as `Available`. */
  conditions?: APIServiceCondition[];
}

/** The service that leads to a server. It must listen with TLS. */
export interface ServiceReference {
  /** The name of the service. */
  name?: string;
  /** The namespace of the service. */
  namespace?: string;
  /**
   * The port of the service, 1 to 65535.
   * @default 443
   */
  port?: number;
}
