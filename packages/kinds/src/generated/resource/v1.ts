import type { KubernetesList, KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { NodeSelector } from '../core/v1.ts';
import type { Condition, Quantity, RawExtension, Time } from '../meta/v1.ts';

export interface AllocatedDeviceStatus {
  conditions?: Condition[];
  data?: RawExtension;
  device: string;
  driver: string;
  networkData?: NetworkDeviceData;
  pool: string;
  shareID?: string;
}

export interface AllocationResult {
  allocationTimestamp?: Time;
  devices?: DeviceAllocationResult;
  nodeSelector?: NodeSelector;
}

export interface CELDeviceSelector {
  expression: string;
}

export interface CapacityRequestPolicy {
  default?: Quantity;
  validRange?: CapacityRequestPolicyRange;
  validValues?: Quantity[];
}

export interface CapacityRequestPolicyRange {
  max?: Quantity;
  min: Quantity;
  step?: Quantity;
}

export interface CapacityRequirements {
  requests?: Record<string, Quantity>;
}

export interface Counter {
  value: Quantity;
}

export interface CounterSet {
  counters: Record<string, Counter>;
  name: string;
}

export interface Device {
  allNodes?: boolean;
  allowMultipleAllocations?: boolean;
  attributes?: Record<string, DeviceAttribute>;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  bindsToNode?: boolean;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  name: string;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  taints?: DeviceTaint[];
}

export interface DeviceAllocationConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
  source: 'FromClaim' | 'FromClass';
}

export interface DeviceAllocationResult {
  config?: DeviceAllocationConfiguration[];
  results?: DeviceRequestAllocationResult[];
}

export interface DeviceAttribute {
  bool?: boolean;
  bools?: boolean[];
  int?: number;
  ints?: number[];
  string?: string;
  strings?: string[];
  version?: string;
  versions?: string[];
}

export interface DeviceCapacity {
  requestPolicy?: CapacityRequestPolicy;
  value: Quantity;
}

export interface DeviceClaim {
  config?: DeviceClaimConfiguration[];
  constraints?: DeviceConstraint[];
  requests?: DeviceRequest[];
}

export interface DeviceClaimConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
}

export interface DeviceClass extends KubernetesObject {
  spec: DeviceClassSpec;
}
export const DeviceClass: ResourceType<DeviceClass, 'Cluster'> = /* @__PURE__ */ resourceType<DeviceClass, 'Cluster'>({ group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass', plural: 'deviceclasses', scope: 'Cluster' });

export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration;
}

export type DeviceClassList = KubernetesList<DeviceClass>;

export interface DeviceClassSpec {
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
  selectors?: DeviceSelector[];
}

export interface DeviceConstraint {
  distinctAttribute?: string;
  matchAttribute?: string;
  requests?: string[];
}

export interface DeviceCounterConsumption {
  counterSet: string;
  counters: Record<string, Counter>;
}

export interface DeviceRequest {
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  name: string;
}

export interface DeviceRequestAllocationResult {
  adminAccess?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  consumedCapacity?: Record<string, Quantity>;
  device: string;
  driver: string;
  pool: string;
  request: string;
  shareID?: string;
  tolerations?: DeviceToleration[];
}

export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  allocationMode?: 'All' | 'ExactCount';
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  name: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

export interface DeviceTaint {
  effect: 'NoExecute' | 'NoSchedule' | 'None';
  key: string;
  timeAdded?: Time;
  value?: string;
}

export interface DeviceToleration {
  effect?: 'NoExecute' | 'NoSchedule' | 'None';
  key?: string;
  operator?: 'Equal' | 'Exists';
  tolerationSeconds?: number;
  value?: string;
}

export interface ExactDeviceRequest {
  adminAccess?: boolean;
  allocationMode?: 'All' | 'ExactCount';
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

export interface NetworkDeviceData {
  hardwareAddress?: string;
  interfaceName?: string;
  ips?: string[];
}

export interface NodeAllocatableResourceMapping {
  allocationMultiplier?: Quantity;
  capacityKey?: string;
}

export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: RawExtension;
}

export interface ResourceClaim extends KubernetesObject {
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}
export const ResourceClaim: ResourceType<ResourceClaim, 'Namespaced'> = /* @__PURE__ */ resourceType<ResourceClaim, 'Namespaced'>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim', plural: 'resourceclaims', scope: 'Namespaced' });

export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  name: string;
  resource: string;
  uid: string;
}

export type ResourceClaimList = KubernetesList<ResourceClaim>;

export interface ResourceClaimSpec {
  devices?: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  devices?: AllocatedDeviceStatus[];
  reservedFor?: ResourceClaimConsumerReference[];
}

export interface ResourceClaimTemplate extends KubernetesObject {
  spec: ResourceClaimTemplateSpec;
}
export const ResourceClaimTemplate: ResourceType<ResourceClaimTemplate, 'Namespaced'> = /* @__PURE__ */ resourceType<ResourceClaimTemplate, 'Namespaced'>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', scope: 'Namespaced' });

export type ResourceClaimTemplateList = KubernetesList<ResourceClaimTemplate>;

export interface ResourceClaimTemplateSpec {
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
}

export interface ResourcePool {
  generation: number;
  name: string;
  resourceSliceCount: number;
}

export interface ResourceSlice extends KubernetesObject {
  spec: ResourceSliceSpec;
}
export const ResourceSlice: ResourceType<ResourceSlice, 'Cluster'> = /* @__PURE__ */ resourceType<ResourceSlice, 'Cluster'>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice', plural: 'resourceslices', scope: 'Cluster' });

export type ResourceSliceList = KubernetesList<ResourceSlice>;

export interface ResourceSliceSpec {
  allNodes?: boolean;
  devices?: Device[];
  driver: string;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  perDeviceNodeSelection?: boolean;
  pool: ResourcePool;
  sharedCounters?: CounterSet[];
}
