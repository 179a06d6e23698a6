import type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '@pintle/machinery';

export type Quantity = string | number;

export interface APIGroup {
  apiVersion?: string;
  kind?: string;
  name: string;
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
  versions: GroupVersionForDiscovery[];
}

export interface APIGroupList {
  apiVersion?: string;
  groups: APIGroup[];
  kind?: string;
}

export interface APIResource {
  categories?: string[];
  group?: string;
  kind: string;
  name: string;
  namespaced: boolean;
  shortNames?: string[];
  singularName: string;
  storageVersionHash?: string;
  verbs: string[];
  version?: string;
}

export interface APIResourceList {
  apiVersion?: string;
  groupVersion: string;
  kind?: string;
  resources: APIResource[];
}

export interface APIVersions {
  apiVersion?: string;
  kind?: string;
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
  versions: string[];
}

export interface Condition {
  lastTransitionTime: Time;
  message: string;
  observedGeneration?: number;
  reason: string;
  status: string;
  type: string;
}

export interface DeleteOptions {
  apiVersion?: string;
  dryRun?: string[];
  gracePeriodSeconds?: number;
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  kind?: string;
  orphanDependents?: boolean;
  preconditions?: Preconditions;
  propagationPolicy?: string;
}

export interface FieldSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export type FieldsV1 = object;

export interface GroupVersionForDiscovery {
  groupVersion: string;
  version: string;
}

export interface LabelSelector {
  matchExpressions?: LabelSelectorRequirement[];
  matchLabels?: Record<string, string>;
}

export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export type { ListMeta };

export type { ManagedFieldsEntry };

export type MicroTime = string;

export type { ObjectMeta };

export type { OwnerReference };

export interface Patch {}

export interface Preconditions {
  resourceVersion?: string;
  uid?: string;
}

export interface ServerAddressByClientCIDR {
  clientCIDR: string;
  serverAddress: string;
}

export interface ShardInfo {
  selector: string;
}

export interface Status {
  apiVersion?: string;
  code?: number;
  details?: StatusDetails;
  kind?: string;
  message?: string;
  metadata?: ListMeta;
  reason?: string;
  status?: string;
}

export interface StatusCause {
  field?: string;
  message?: string;
  reason?: string;
}

export interface StatusDetails {
  causes?: StatusCause[];
  group?: string;
  kind?: string;
  name?: string;
  retryAfterSeconds?: number;
  uid?: string;
}

export type Time = string;

export interface WatchEvent {
  object: RawExtension;
  type: string;
}

export type RawExtension = object;

export type IntOrString = number | string;

export interface Info {
  buildDate: string;
  compiler: string;
  emulationMajor?: string;
  emulationMinor?: string;
  gitCommit: string;
  gitTreeState: string;
  gitVersion: string;
  goVersion: string;
  major: string;
  minCompatibilityMajor?: string;
  minCompatibilityMinor?: string;
  minor: string;
  platform: string;
}
