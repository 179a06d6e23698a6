import type { KubernetesObject } from '@pintle/machinery';
import { Quantity } from '@pintle/machinery/quantity';
import type { Container, PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../generated/core/v1.ts';
import type { ResourceClaim } from '../generated/resource/v1.ts';
import { computeQosClass } from '../rules/common/pod/resources.ts';
import { podAmounts, readAmounts } from './amounts.ts';

const ONE = new Quantity(1n);
/** Kinds that quotas also count by their plain name, as they did before they could count all kinds. */
const LEGACY: ReadonlySet<string> = new Set([
  'configmaps',
  'secrets',
  'replicationcontrollers',
  'resourcequotas',
  'services',
  'persistentvolumeclaims',
  'pods',
]);
const COMPUTE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Resources that every container must specify where a quota limits them. */
const NAMED: ReadonlySet<string> = new Set(['cpu', 'memory']);
const STORAGE_CLASS = '.storageclass.storage.k8s.io/';
const DEVICES = '.deviceclass.resource.k8s.io/devices';
const DEVICE_CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims' };
/** Most devices that a claim can be allocated; a claim for all devices counts as this many. */
const ALL_DEVICES = 32;

export interface CountedResource {
  readonly group: string;
  readonly resource: string;
}

/** Returns what an object uses of quotas. Empty when it does not count, such as a pod that has ended. */
export function quotaUsage({ group, resource }: CountedResource, object: KubernetesObject): Map<string, Quantity> {
  const usage = new Map<string, Quantity>([[`count/${resource}${group === '' ? '' : `.${group}`}`, ONE]]);
  if (group === DEVICE_CLAIMS.group && resource === DEVICE_CLAIMS.resource) addDevices(usage, object as ResourceClaim);
  if (group !== '') return usage;
  if (LEGACY.has(resource)) usage.set(resource, ONE);
  if (resource === 'pods') addPod(usage, object as Pod);
  if (resource === 'services') addService(usage, object as Service);
  if (resource === 'persistentvolumeclaims') addClaim(usage, object as PersistentVolumeClaim);
  return usage;
}

/** Returns the resource that an entry of a quota counts; `undefined` when its name does not determine one. */
export function countedBy(name: string): CountedResource | undefined {
  if (name.startsWith('count/')) {
    const [resource = '', ...group] = name.slice('count/'.length).split('.');
    return { group: group.join('.'), resource };
  }
  if (SERVICES.has(name)) return { group: '', resource: 'services' };
  if (name === 'requests.storage' || CLAIMS_BY_CLASS.some((ending) => name.endsWith(ending)))
    return { group: '', resource: 'persistentvolumeclaims' };
  if (name.endsWith(DEVICES)) return DEVICE_CLAIMS;
  if (LEGACY.has(name)) return { group: '', resource: name };
  return isUsedByPods(name) ? { group: '', resource: 'pods' } : undefined;
}

const SERVICES: ReadonlySet<string> = new Set(['services', 'services.nodeports', 'services.loadbalancers']);
const CLAIMS_BY_CLASS = [`${STORAGE_CLASS}requests.storage`, `${STORAGE_CLASS}persistentvolumeclaims`];

/** True for compute resources, huge pages, and extended resources that can be requested. */
function isUsedByPods(name: string): boolean {
  if (COMPUTE.has(name.replace(/^(requests|limits)\./, ''))) return true;
  return name.startsWith('hugepages-') || name.startsWith('requests.');
}

function addDevices(usage: Map<string, Quantity>, { spec }: ResourceClaim): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    const most = new Map<string, number>();
    for (const wanted of exactly ? [exactly] : firstAvailable) {
      const name = `${wanted.deviceClassName}${DEVICES}`;
      const count = wanted.allocationMode === 'All' ? ALL_DEVICES : Number(wanted.count ?? 1);
      most.set(name, Math.max(count, most.get(name) ?? 0));
    }
    for (const [name, count] of most)
      usage.set(name, (usage.get(name) ?? new Quantity(0n)).add(new Quantity(BigInt(count))));
  }
}

function addPod(usage: Map<string, Quantity>, pod: Pod): void {
  if (isEnded(pod)) {
    usage.delete('pods');
    return;
  }
  for (const [name, amount] of podAmounts(pod, 'requests')) {
    usage.set(`requests.${name}`, amount);
    if (COMPUTE.has(name) || name.startsWith('hugepages-')) usage.set(name, amount);
  }
  for (const [name, amount] of podAmounts(pod, 'limits')) if (COMPUTE.has(name)) usage.set(`limits.${name}`, amount);
}

function isEnded({ status, metadata }: Pod): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function addService(usage: Map<string, Quantity>, { spec }: Service): void {
  const ports = new Quantity(BigInt(spec?.ports?.length ?? 0));
  const none = new Quantity(0n);
  const hasNodePorts =
    spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  usage.set('services.nodeports', hasNodePorts ? ports : none);
  usage.set('services.loadbalancers', spec?.type === 'LoadBalancer' ? ONE : none);
}

function addClaim(usage: Map<string, Quantity>, { spec, metadata }: PersistentVolumeClaim): void {
  const storage = readAmounts(spec?.resources?.requests).get('storage');
  const name = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName;
  if (storage !== undefined) usage.set('requests.storage', storage);
  if (!name) return;
  usage.set(`${name}${STORAGE_CLASS}persistentvolumeclaims`, ONE);
  if (storage !== undefined) usage.set(`${name}${STORAGE_CLASS}requests.storage`, storage);
}

/** Containers of a pod with pod-level resources need not specify their own. */
function hasPodResources(spec: Pod['spec']): boolean {
  const { requests = {}, limits = {} } = spec?.resources ?? {};
  return Object.keys(requests).length + Object.keys(limits).length > 0;
}

function plainName(name: string): string {
  return name.replace(/^(requests|limits)\./, '');
}

/**
 * Returns the resources that a pod must specify because a quota limits them: `limits.memory for: c; requests.cpu for:
 * c`. Empty when none is missing.
 */
export function missingForQuota({ spec }: Pod, hard: { keys(): Iterable<string> }): string {
  if (hasPodResources(spec)) return '';
  const named = [...hard.keys()].filter((name) => NAMED.has(plainName(name)));
  const missing = new Map<string, string[]>();
  const check = (container: Container): void => {
    const { requests = {}, limits = {} } = container.resources ?? {};
    for (const name of named) {
      const plain = plainName(name);
      const given = name.startsWith('limits.') ? limits : requests;
      if (given[plain] === undefined) missing.set(name, [...(missing.get(name) ?? []), container.name]);
    }
  };
  for (const container of spec?.containers ?? []) check(container);
  for (const container of spec?.initContainers ?? []) check(container);
  return [...missing]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${containers.sort().join(',')}`)
    .join('; ');
}

type Selector = NonNullable<NonNullable<ResourceQuota['spec']>['scopeSelector']>;

/** True when a quota applies to an object. Only pods, and claims by their class, have scopes. */
export function isInScope({ spec }: ResourceQuota, { resource }: CountedResource, object: KubernetesObject): boolean {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const }));
  const expressions = [...plain, ...((spec?.scopeSelector as Selector | undefined)?.matchExpressions ?? [])];
  if (expressions.length === 0) return true;
  if (resource !== 'pods' && resource !== 'persistentvolumeclaims') return false;
  return expressions.every(({ scopeName, operator, values = [] }: Expression) =>
    resource === 'pods'
      ? matchesScope(object as Pod, scopeName, operator, values)
      : scopeName === 'VolumeAttributesClass' && matchesClass(object as PersistentVolumeClaim, operator, values),
  );
}

interface Expression {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A claim that changes its class counts for both until that is done. */
function matchesClass({ spec, status }: PersistentVolumeClaim, operator: string, values: readonly string[]): boolean {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter(Boolean) as string[];
  if (operator === 'Exists') return names.length > 0;
  if (names.length === 0) return operator === 'DoesNotExist' || operator === 'NotIn';
  return operator !== 'DoesNotExist' && names.some((name) => values.includes(name) === (operator === 'In'));
}

function matchesScope(pod: Pod, scope: string, operator: string, values: readonly string[]): boolean {
  const { activeDeadlineSeconds, priorityClassName = '', affinity } = pod.spec ?? {};
  switch (scope) {
    case 'Terminating':
      return activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0;
    case 'NotTerminating':
      return activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return computeQosClass(pod.spec) === 'BestEffort';
    case 'NotBestEffort':
      return computeQosClass(pod.spec) !== 'BestEffort';
    case 'PriorityClass':
      if (operator === 'Exists') return priorityClassName !== '';
      if (operator === 'DoesNotExist') return priorityClassName === '';
      return values.includes(priorityClassName) === (operator === 'In');
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceTerms(affinity);
    default:
      return false;
  }
}

function hasCrossNamespaceTerms(affinity: NonNullable<Pod['spec']>['affinity']): boolean {
  const groups = [affinity?.podAffinity, affinity?.podAntiAffinity];
  const terms = groups.flatMap((group) => [
    ...(group?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(group?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some((term) => (term?.namespaces?.length ?? 0) > 0 || term?.namespaceSelector !== undefined);
}
