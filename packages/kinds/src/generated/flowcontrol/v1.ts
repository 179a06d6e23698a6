import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

/** Settings of a priority level whose requests are handled at once. */
export interface ExemptPriorityLevelConfiguration {
  /**
   * Which part of the level's seats other levels can borrow, 0 to 100 per cent.
   * @default 0
   */
  lendablePercent?: number;
  /**
   * The level's share of the server's seats, compared with the shares of all levels. It counts for lending only.
   * @default 0
   */
  nominalConcurrencyShares?: number;
}

/** How requests are divided into flows. */
export interface FlowDistinguisherMethod {
  /** The property by which requests are told apart, either `ByUser` or `ByNamespace`. */
  type: string;
}

/** Assigns requests to the API server to a priority level, and divides them into flows. */
export interface FlowSchema extends KubernetesObject {
  /** Which requests are meant, and to which priority level they go. */
  spec?: FlowSchemaSpec;
  /** Whether the FlowSchema works as it should. */
  status?: FlowSchemaStatus;
}
export const FlowSchema: ResourceType<FlowSchema, 'Cluster'> = /* @__PURE__ */ resourceType<FlowSchema, 'Cluster'>({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema', plural: 'flowschemas', scope: 'Cluster' });

/** An observation about the state of a FlowSchema. */
export interface FlowSchemaCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status?: string;
  /** The name of the condition, such as `Dangling`. */
  type?: string;
}

/** A list of FlowSchemas. */
export type FlowSchemaList = KubernetesList<FlowSchema>;

/** Which requests are meant, and to which priority level they go. */
export interface FlowSchemaSpec {
  /** How the requests are divided into flows, which are treated fairly. Without it, all of them are one flow. */
  distinguisherMethod?: FlowDistinguisherMethod;
  /**
   * The place of the FlowSchema in the order in which they are tried, 1 to 10000. The lowest one that matches a
   * request counts; among equals the name decides.
   * @default 1000
   */
  matchingPrecedence?: number;
  /** The priority level that the requests go to. If it does not exist, the FlowSchema has no effect. */
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  /** The requests that are meant. One rule that fits is enough; without any, no request is meant. */
  rules?: PolicyRulesWithSubjects[];
}

/** Whether a FlowSchema works as it should. */
export interface FlowSchemaStatus {
  /** Observations such as `Dangling`, for a priority level that does not exist. */
  conditions?: FlowSchemaCondition[];
}

/** A group of users. */
export interface GroupSubject {
  /** The name of the group. `*` is all groups. */
  name: string;
}

/** Says what happens to requests for which there is no seat. */
export interface LimitResponse {
  /** Settings of the queues. It is required for type `Queue` and not allowed otherwise. */
  queuing?: QueuingConfiguration;
  /** Whether requests wait, either `Queue` or `Reject`, which answers with status 429. */
  type: string;
}

/** Settings of a priority level with a limit. */
export interface LimitedPriorityLevelConfiguration {
  /**
   * How many seats the level can borrow from others, as a percentage of its own. It may exceed 100; without it, there
   * is no limit.
   */
  borrowingLimitPercent?: number;
  /**
   * Which part of the level's seats other levels can borrow, 0 to 100 per cent.
   * @default 0
   */
  lendablePercent?: number;
  /** Says what happens to requests for which there is no seat. */
  limitResponse?: LimitResponse;
  /**
   * The level's share of the server's seats, compared with the shares of all levels. With 0 the level has only what it
   * borrows.
   * @default 30
   */
  nominalConcurrencyShares?: number;
}

/** Requests for some paths that are not resources. A request fits if both fields do. */
export interface NonResourcePolicyRule {
  /** The paths, such as `/healthz` or `/apis/*`, at least one. `*` alone is all paths. */
  nonResourceURLs: string[];
  /** The verbs of the requests, at least one. `*` alone is all verbs. */
  verbs: string[];
}

/** Requests of certain clients. A request fits if one subject and one resource rule or non-resource rule fit. */
export interface PolicyRulesWithSubjects {
  /** Requests for paths that are not resources. */
  nonResourceRules?: NonResourcePolicyRule[];
  /** Requests for resources. At least one of both sorts of rules is required. */
  resourceRules?: ResourcePolicyRule[];
  /** The clients, at least one. */
  subjects: Subject[];
}

/** How many requests of one priority the API server handles at the same time, and what happens to the others. */
export interface PriorityLevelConfiguration extends KubernetesObject {
  /** The share of the server that the level gets. */
  spec?: PriorityLevelConfigurationSpec;
  /** Whether the level works as it should. */
  status?: PriorityLevelConfigurationStatus;
}
export const PriorityLevelConfiguration: ResourceType<PriorityLevelConfiguration, 'Cluster'> = /* @__PURE__ */ resourceType<PriorityLevelConfiguration, 'Cluster'>({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'PriorityLevelConfiguration', plural: 'prioritylevelconfigurations', scope: 'Cluster' });

/** An observation about the state of a priority level. */
export interface PriorityLevelConfigurationCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status?: string;
  /** The name of the condition in CamelCase. */
  type?: string;
}

/** A list of PriorityLevelConfigurations. */
export type PriorityLevelConfigurationList = KubernetesList<PriorityLevelConfiguration>;

/** A priority level that requests go to. */
export interface PriorityLevelConfigurationReference {
  /** The name of the PriorityLevelConfiguration. */
  name: string;
}

/** The share of the server that a priority level gets. The field that belongs to `type` is given. */
export interface PriorityLevelConfigurationSpec {
  /** Settings of a level of type `Exempt`. */
  exempt?: ExemptPriorityLevelConfiguration;
  /** Settings of a level of type `Limited`. It is required for that type. */
  limited?: LimitedPriorityLevelConfiguration;
  /** Whether the level has a limit, either `Limited` or `Exempt`. */
  type: string;
}

/** Whether a priority level works as it should. */
export interface PriorityLevelConfigurationStatus {
  /** Observations about the level. */
  conditions?: PriorityLevelConfigurationCondition[];
}

/** Settings of the queues of a priority level. */
export interface QueuingConfiguration {
  /**
   * How many queues a flow is assigned to, of which it uses the shortest. It must not exceed `queues`.
   * @default 8
   */
  handSize?: number;
  /**
   * How many requests may wait in a queue. Those beyond are refused.
   * @default 50
   */
  queueLengthLimit?: number;
  /**
   * How many queues the level has. More of them keep flows further apart; 1 treats all flows as one.
   * @default 64
   */
  queues?: number;
}

/** Requests for some resources. A request fits if all fields do. */
export interface ResourcePolicyRule {
  /** The API groups of the resources, at least one. `*` alone is all groups. */
  apiGroups: string[];
  /** Whether requests without a namespace fit too. It or `namespaces` is required. */
  clusterScope?: boolean;
  /** The namespaces of the objects. `*` alone is all namespaces. */
  namespaces?: string[];
  /** The resources, such as `pods` or `pods/log`, at least one. `*` alone is all resources. */
  resources: string[];
  /** The verbs of the requests, at least one. `*` alone is all verbs. */
  verbs: string[];
}

/** A service account. */
export interface ServiceAccountSubject {
  /** The name of the service account. `*` is all of the namespace. */
  name: string;
  /** The namespace of the service account. */
  namespace: string;
}

/** A client, or a group of them. The field that belongs to `kind` is given. */
export interface Subject {
  /** The group, if `kind` is `Group`. */
  group?: GroupSubject;
  /** The sort of client, one of `User`, `Group` and `ServiceAccount`. */
  kind: string;
  /** The service account, if `kind` is `ServiceAccount`. */
  serviceAccount?: ServiceAccountSubject;
  /** The user, if `kind` is `User`. */
  user?: UserSubject;
}

/** A single user. */
export interface UserSubject {
  /** The name of the user. `*` is all users. */
  name: string;
}
