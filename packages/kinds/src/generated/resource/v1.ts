import type { KubernetesList, KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { NodeSelector } from '../core/v1.ts';
import type { Condition, Quantity, RawExtension, Time } from '../meta/v1.ts';

/** The state of an allocated device, as its driver reports it. */
export interface AllocatedDeviceStatus {
  /** Observations about the device, at most 8. */
  conditions?: Condition[];
  /** Data of the driver's own, at most 10 KiB. */
  data?: RawExtension;
  /** The name of the device in its pool. */
  device: string;
  /** The name of the driver, a domain name such as `gpu.example.com`. */
  driver: string;
  /** More about the device if it is a network interface. */
  networkData?: NetworkDeviceData;
  /** The name of the pool that the device is in. */
  pool: string;
  /** The ID of the claim's share of the device, if several claims can share it. */
  shareID?: string;
}

/** The result of the allocation of devices to a claim. */
export interface AllocationResult {
  /** When the devices were allocated. */
  allocationTimestamp?: Time;
  /** The devices, with the settings for their drivers. */
  devices?: DeviceAllocationResult;
  /** Selects the nodes on which the devices can be used. Without it, all nodes can use them. */
  nodeSelector?: NodeSelector;
}

/** A criterion as an expression in the Common Expression Language. */
export interface CELDeviceSelector {
  /**
   * The expression, at most 10 KiB, which is true for devices that fit. It knows `device` with its `driver`,
   * `attributes` and `capacity`.
   */
  expression: string;
}

/** Which parts of a capacity can be asked for. At most one of `validValues` and `validRange` is given. */
export interface CapacityRequestPolicy {
  /**
   * The part that a request gets if it asks for none. It is required with `validValues` and `validRange` and must be
   * among them.
   */
  default?: Quantity;
  /** A range of amounts. A request is rounded up to the next one that is allowed. */
  validRange?: CapacityRequestPolicyRange;
  /** Single amounts in ascending order, at most 10. A request is rounded up to the next one. */
  validValues?: Quantity[];
}

/** A range of amounts that can be asked for. */
export interface CapacityRequestPolicyRange {
  /** The largest amount. It must not exceed the capacity; without it, the capacity is the limit. */
  max?: Quantity;
  /** The smallest amount. It must not exceed the capacity. */
  min: Quantity;
  /** The distance between amounts, from `min` on. `max` and the default must fit it; without it, any amount does. */
  step?: Quantity;
}

/** How much of a device's capacity is wanted. */
export interface CapacityRequirements {
  /**
   * The least amount of each capacity, by name. The device's request policy may round it up; capacities without a
   * request get the policy's default.
   */
  requests?: Record<string, Quantity>;
}

/** An amount of a counter. */
export interface Counter {
  /** The amount that there is, or that is taken. */
  value: Quantity;
}

/** Counters that devices of a pool share, so that devices which overlap are not allocated together. */
export interface CounterSet {
  /** The counters by name, at most 32, each with the amount that there is. */
  counters: Record<string, Counter>;
  /** The name of the set, a DNS label that is unique in the pool. */
  name: string;
}

/** A device that can be allocated. */
export interface Device {
  /** Whether all nodes can use the device. It needs `perDeviceNodeSelection`, and only `true` is allowed. */
  allNodes?: boolean;
  /** Whether several requests can share the device, each with a part of its capacity. */
  allowMultipleAllocations?: boolean;
  /** Properties of the device by name, such as its model. Attributes and capacities together are at most 32. */
  attributes?: Record<string, DeviceAttribute>;
  /** Conditions of the allocated device that must be `True` before pods are bound to a node, at most 4. */
  bindingConditions?: string[];
  /** Conditions of the allocated device of which one that is `True` makes the binding fail, at most 4. */
  bindingFailureConditions?: string[];
  /**
   * Whether the allocation of the device limits the claim to the node that was chosen, even if other nodes can use it
   * too.
   */
  bindsToNode?: boolean;
  /** Amounts that the device has, by name, such as its memory. Attributes and capacities together are at most 32. */
  capacity?: Record<string, DeviceCapacity>;
  /** Says what the device takes from the shared counters of its pool when it is allocated, at most 2 sets. */
  consumesCounters?: DeviceCounterConsumption[];
  /** The name of the device, a DNS label that is unique in the pool. */
  name: string;
  /**
   * Ordinary resources of the node, such as `cpu`, that an allocation of the device takes up. It needs a feature that
   * is not enabled by default.
   */
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
  /** The node that has the device. It needs `perDeviceNodeSelection`. */
  nodeName?: string;
  /** Selects the nodes that can use the device, with exactly one term. It needs `perDeviceNodeSelection`. */
  nodeSelector?: NodeSelector;
  /** Marks that keep claims away unless they tolerate them, at most 16. */
  taints?: DeviceTaint[];
}

/** Settings for a driver that belong to an allocation. */
export interface DeviceAllocationConfiguration {
  /** The settings and the driver that they are for. They are required. */
  opaque?: OpaqueDeviceConfiguration;
  /** The requests whose devices get the settings. Without any, those of all requests do. */
  requests?: string[];
  /**
   * Where the settings come from.
   * - `FromClaim`: The claim itself.
   * - `FromClass`: The device class.
   */
  source: 'FromClaim' | 'FromClass';
}

/** Devices that were allocated, with the settings for their drivers. */
export interface DeviceAllocationResult {
  /** The settings from classes and from the claim, in this order. For each device, later ones win. */
  config?: DeviceAllocationConfiguration[];
  /** The devices, one entry for each. */
  results?: DeviceRequestAllocationResult[];
}

/** A property of a device. Exactly one field is given. */
export interface DeviceAttribute {
  /** The property as a boolean. */
  bool?: boolean;
  /** The property as a list of booleans. It needs a feature that is not enabled by default. */
  bools?: boolean[];
  /** The property as a whole number. */
  int?: number;
  /** The property as a list of whole numbers. It needs a feature that is not enabled by default. */
  ints?: number[];
  /** The property as text, at most 64 characters. */
  string?: string;
  /** The property as a list of texts. It needs a feature that is not enabled by default. */
  strings?: string[];
  /** The property as a semantic version, as `1.2.3`, at most 64 characters. */
  version?: string;
  /** The property as a list of semantic versions. It needs a feature that is not enabled by default. */
  versions?: string[];
}

/** An amount that a device has. */
export interface DeviceCapacity {
  /**
   * Which parts of the amount can be asked for. It needs `allowMultipleAllocations`; without it, any part can, and
   * without a request all of it is taken.
   */
  requestPolicy?: CapacityRequestPolicy;
  /** The whole amount. Shares of several requests together do not exceed it. */
  value: Quantity;
}

/** Requests for devices, with constraints and settings. */
export interface DeviceClaim {
  /** Settings for drivers, at most 32. Those for drivers whose devices are not allocated are ignored. */
  config?: DeviceClaimConfiguration[];
  /** Says what must hold for devices of several requests together, at most 32. */
  constraints?: DeviceConstraint[];
  /** The requests, at most 32. All of them must be served. */
  requests?: DeviceRequest[];
}

/** Settings for a driver, for devices of some requests. */
export interface DeviceClaimConfiguration {
  /** The settings and the driver that they are for. They are required. */
  opaque?: OpaqueDeviceConfiguration;
  /** The requests whose devices get the settings. Without any, those of all requests do. */
  requests?: string[];
}

/** A sort of devices that claims can ask for, with criteria and settings of an administrator. */
export interface DeviceClass extends KubernetesObject {
  /** The criteria and settings of the class. A change does not affect claims that are allocated. */
  spec: DeviceClassSpec;
}
export const DeviceClass: ResourceType<DeviceClass, 'Cluster'> = /* @__PURE__ */ resourceType<DeviceClass, 'Cluster'>({ group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass', plural: 'deviceclasses', scope: 'Cluster' });

/** Settings for a driver that all devices of a class get. */
export interface DeviceClassConfiguration {
  /** The settings and the driver that they are for. They are required. */
  opaque?: OpaqueDeviceConfiguration;
}

/** A list of DeviceClasses. */
export type DeviceClassList = KubernetesList<DeviceClass>;

/** The criteria and settings of a class of devices. */
export interface DeviceClassSpec {
  /** Settings for drivers that all devices of the class get, at most 32. They come before those of the claim. */
  config?: DeviceClassConfiguration[];
  /**
   * An extended resource, such as `example.com/gpu`, for which pods that request it get devices of the class. If
   * several classes have it, the newest counts.
   */
  extendedResourceName?: string;
  /** Criteria that a device must all fulfil, at most 32. */
  selectors?: DeviceSelector[];
}

/** Says what must hold for devices of several requests together. Exactly one of the two attributes is given. */
export interface DeviceConstraint {
  /** The full name of an attribute that must differ between all devices, as `example.com/numa`. */
  distinctAttribute?: string;
  /**
   * The full name of an attribute that must be the same for all devices, as `example.com/numa`. Devices without it do
   * not fit.
   */
  matchAttribute?: string;
  /** The requests whose devices are meant. Without any, those of all requests are. */
  requests?: string[];
}

/** Says what a device takes from a set of counters. */
export interface DeviceCounterConsumption {
  /** The name of the set in the same pool. */
  counterSet: string;
  /** The amounts that are taken, by counter, at most 32. */
  counters: Record<string, Counter>;
}

/** A request for devices. Exactly one of `exactly` and `firstAvailable` is given. */
export interface DeviceRequest {
  /** The devices that are wanted, without alternatives. */
  exactly?: ExactDeviceRequest;
  /** Alternatives in the order of preference, at most 8, of which the scheduler takes the first that it can serve. */
  firstAvailable?: DeviceSubRequest[];
  /**
   * The name of the request, a DNS label that is unique in the claim. Containers, constraints and settings refer to
   * it.
   */
  name: string;
}

/** A device that was allocated for a request. */
export interface DeviceRequestAllocationResult {
  /** Whether the device is for administration, and not reserved. */
  adminAccess?: boolean;
  /** Conditions of the device that must be `True` before pods are bound to a node, at most 4, copied from the device. */
  bindingConditions?: string[];
  /** Conditions of the device of which one that is `True` makes the binding fail, at most 4, copied from the device. */
  bindingFailureConditions?: string[];
  /** How much of each capacity the claim takes, if several claims can share the device. */
  consumedCapacity?: Record<string, Quantity>;
  /** The name of the device in its pool. */
  device: string;
  /** The name of the driver, a domain name such as `gpu.example.com`. */
  driver: string;
  /** The name of the pool that the device is in. */
  pool: string;
  /** The name of the request, or `REQUEST/NAME` for one of its alternatives. */
  request: string;
  /** The ID of the claim's share of the device, if several claims can share it. */
  shareID?: string;
  /** Taints of devices that the request tolerated at the allocation. */
  tolerations?: DeviceToleration[];
}

/** A criterion that a device must fulfil. */
export interface DeviceSelector {
  /** The criterion as an expression. It is required. */
  cel?: CELDeviceSelector;
}

/** Devices that are wanted, as one of several alternatives. */
export interface DeviceSubRequest {
  /**
   * How many devices are allocated.
   * - `All`: All that fit, of which none may be in use.
   * - `ExactCount`: As many as `count` says.
   * @default "ExactCount"
   */
  allocationMode?: 'All' | 'ExactCount';
  /** How much of each device's capacity is wanted, if several claims can share it. */
  capacity?: CapacityRequirements;
  /**
   * How many devices are wanted, above 0. It is set only if `allocationMode` is `ExactCount`.
   * @default 1
   */
  count?: number;
  /** The DeviceClass of the devices, with its selectors and settings. */
  deviceClassName: string;
  /** The name of the alternative, a DNS label that is unique in the request. Others refer to it as `REQUEST/NAME`. */
  name: string;
  /** Criteria that a device must all fulfil, beyond those of the class, at most 32. */
  selectors?: DeviceSelector[];
  /** Taints of devices that are tolerated. More than 16 should not be given, though the server accepts them. */
  tolerations?: DeviceToleration[];
}

/** A mark on a device that keeps claims away unless they tolerate it. */
export interface DeviceTaint {
  /**
   * Says what happens to claims that do not tolerate the taint.
   * - `NoSchedule`: They do not get the device.
   * - `NoExecute`: They do not get the device, and pods that use it are evicted.
   * - `None`: Nothing; the taint only informs.
   */
  effect: 'NoExecute' | 'NoSchedule' | 'None';
  /** The name of the taint, a qualified name as for labels. */
  key: string;
  /** When the taint was added. The server sets it if it is absent. */
  timeAdded?: Time;
  /** A value for tolerations to compare with, as for labels. */
  value?: string;
}

/** A taint in spite of which a device may be allocated. */
export interface DeviceToleration {
  /**
   * The effect that is tolerated; all effects if it is empty.
   * - `NoSchedule`: The device is not allocated.
   * - `NoExecute`: Pods that use the device are evicted too.
   * - `None`: No effect at all.
   */
  effect?: 'NoExecute' | 'NoSchedule' | 'None';
  /**
   * The key of the taints that are tolerated. If it is empty, `operator` must be `Exists`, and all taints are
   * tolerated.
   */
  key?: string;
  /**
   * How the taint's value is compared.
   * - `Equal`: Is the same as `value`.
   * - `Exists`: May be anything.
   * @default "Equal"
   */
  operator?: 'Equal' | 'Exists';
  /**
   * For how many seconds a taint with the effect `NoExecute` is tolerated before the pod is evicted. Without it, the
   * taint is tolerated for good; 0 or less evicts at once.
   */
  tolerationSeconds?: number;
  /** The value to compare with. It must be empty with `Exists`. */
  value?: string;
}

/** Devices that are wanted, without alternatives. */
export interface ExactDeviceRequest {
  /**
   * Whether devices are wanted for administration, also if others use them. It does not reserve them and needs a
   * namespace with the label `resource.kubernetes.io/admin-access` set to `true`.
   */
  adminAccess?: boolean;
  /**
   * How many devices are allocated.
   * - `All`: All that fit, of which none may be in use.
   * - `ExactCount`: As many as `count` says.
   * @default "ExactCount"
   */
  allocationMode?: 'All' | 'ExactCount';
  /** How much of each device's capacity is wanted, if several claims can share it. */
  capacity?: CapacityRequirements;
  /**
   * How many devices are wanted, above 0. It is set only if `allocationMode` is `ExactCount`.
   * @default 1
   */
  count?: number;
  /** The DeviceClass of the devices, with its selectors and settings. */
  deviceClassName: string;
  /** Criteria that a device must all fulfil, beyond those of the class, at most 32. */
  selectors?: DeviceSelector[];
  /** Taints of devices that are tolerated. More than 16 should not be given, though the server accepts them. */
  tolerations?: DeviceToleration[];
}

/** The observed state of a network interface that was allocated. */
export interface NetworkDeviceData {
  /** The hardware address of the interface, such as its MAC address, at most 128 characters. */
  hardwareAddress?: string;
  /** The name of the interface in the pod, at most 256 characters. */
  interfaceName?: string;
  /** The addresses of the interface with their prefix lengths, as `192.0.2.5/24`, at most 16. */
  ips?: string[];
}

/** How much of an ordinary node resource an allocation of a device takes up. */
export interface NodeAllocatableResourceMapping {
  /** The factor by which the allocated amount, or the number of devices, is multiplied. Without it, 1 applies. */
  allocationMultiplier?: Quantity;
  /** The capacity of the device whose allocated amount counts. Without it, the number of devices does. */
  capacityKey?: string;
}

/** Settings for a driver that only the driver understands. */
export interface OpaqueDeviceConfiguration {
  /** The name of the driver, a domain name such as `gpu.example.com`. */
  driver: string;
  /** The settings as a JSON object, at most 10 KiB. It should have `apiVersion` and `kind`. */
  parameters: RawExtension;
}

/** A request for devices, such as accelerators or network cards, which pods can use once it is allocated. */
export interface ResourceClaim extends KubernetesObject {
  /** The devices that are wanted. It cannot change after creation. */
  spec: ResourceClaimSpec;
  /** The devices that were allocated, and who uses them. */
  status?: ResourceClaimStatus;
}
export const ResourceClaim: ResourceType<ResourceClaim, 'Namespaced'> = /* @__PURE__ */ resourceType<ResourceClaim, 'Namespaced'>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim', plural: 'resourceclaims', scope: 'Namespaced' });

/** An object that may use a claim, usually a pod. */
export interface ResourceClaimConsumerReference {
  /** The API group of the object's resource, empty for the core group. */
  apiGroup?: string;
  /** The name of the object. */
  name: string;
  /** The resource of the object, such as `pods`. */
  resource: string;
  /** The UID of the object. It is unique among the consumers. */
  uid: string;
}

/** A list of ResourceClaims. */
export type ResourceClaimList = KubernetesList<ResourceClaim>;

/** The devices that are wanted. */
export interface ResourceClaimSpec {
  /** The requests for devices, with constraints and settings. */
  devices?: DeviceClaim;
}

/** The devices that were allocated to a claim, and who uses them. */
export interface ResourceClaimStatus {
  /** The result of the allocation. It is set once and does not change until it is taken back. */
  allocation?: AllocationResult;
  /** The state of each allocated device, as its driver reports it. */
  devices?: AllocatedDeviceStatus[];
  /** Who may use the claim, at most 256. The devices are taken back only when it is empty. */
  reservedFor?: ResourceClaimConsumerReference[];
}

/** A template from which a ResourceClaim is made for each pod that names it. */
export interface ResourceClaimTemplate extends KubernetesObject {
  /**
   * The metadata and the spec of the claims. Existing claims do not follow a template. It cannot change after
   * creation.
   */
  spec: ResourceClaimTemplateSpec;
}
export const ResourceClaimTemplate: ResourceType<ResourceClaimTemplate, 'Namespaced'> = /* @__PURE__ */ resourceType<ResourceClaimTemplate, 'Namespaced'>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', scope: 'Namespaced' });

/** A list of ResourceClaimTemplates. */
export type ResourceClaimTemplateList = KubernetesList<ResourceClaimTemplate>;

/** A ResourceClaim as it is made for a pod. */
export interface ResourceClaimTemplateSpec {
  /** The labels and annotations that claims made from the template get. Other fields are not allowed. */
  metadata?: ObjectMeta;
  /** The `spec` that claims made from the template get. */
  spec: ResourceClaimSpec;
}

/** A pool of devices, and which of its slices is current. */
export interface ResourcePool {
  /**
   * A number that grows with every change of the pool. Slices with a lower number than others of the pool are out of
   * date.
   */
  generation: number;
  /**
   * The name of the pool, often that of a node. The driver's name and it tell pools apart. It cannot change after
   * creation.
   */
  name: string;
  /** How many slices the pool has in this generation. Until all are there, the pool is incomplete. */
  resourceSliceCount: number;
}

/** Devices of a driver that are available in the cluster. A pool of devices has as many slices as it needs. */
export interface ResourceSlice extends KubernetesObject {
  /** The devices, their driver and their pool, as the driver publishes them. */
  spec: ResourceSliceSpec;
}
export const ResourceSlice: ResourceType<ResourceSlice, 'Cluster'> = /* @__PURE__ */ resourceType<ResourceSlice, 'Cluster'>({ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice', plural: 'resourceslices', scope: 'Cluster' });

/** A list of ResourceSlices. */
export type ResourceSliceList = KubernetesList<ResourceSlice>;

/**
 * Devices, their driver and their pool. Exactly one of `nodeName`, `nodeSelector`, `allNodes` and
 * `perDeviceNodeSelection` is given.
 */
export interface ResourceSliceSpec {
  /** Whether all nodes can use the devices. Only `true` is allowed. */
  allNodes?: boolean;
  /** The devices, at most 128, or 64 if any has taints or uses counters. It excludes `sharedCounters`. */
  devices?: Device[];
  /** The name of the driver, a domain name such as `gpu.example.com`. It cannot change after creation. */
  driver: string;
  /** The node that has the devices. It cannot change after creation. */
  nodeName?: string;
  /** Selects the nodes that can use the devices, with exactly one term. */
  nodeSelector?: NodeSelector;
  /** Whether each device says for itself which nodes can use it. Only `true` is allowed. */
  perDeviceNodeSelection?: boolean;
  /** The pool that the devices belong to. */
  pool: ResourcePool;
  /** Sets of counters from which devices of the pool take, at most 8. It excludes `devices`. */
  sharedCounters?: CounterSet[];
}
