import type { Container, Pod, PodSpec, ResourceRequirements } from '../../../generated/core/v1.ts';
import type { Quantity } from '../../../generated/meta/v1.ts';
import { addQuantities, compareQuantities, quantitySign } from '../quantities.ts';
import { isHugePages, isNativeResource } from '../resource-names.ts';
import { isSidecar } from './containers.ts';

export type Amounts = Record<string, Quantity>;

/** True when limits may exceed requests. */
export function isOvercommittable(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** True for resources that a Pod can request as a whole. */
export function isSupportedForPods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/**
 * Returns the resources that all containers of a Pod need together. Containers and sidecars need theirs at the same
 * time; an init container needs its own beside the sidecars started before it, and the largest of these sums counts.
 */
export function sumOverContainers(spec: PodSpec, field: 'requests' | 'limits'): Amounts {
  const of = (container: Container): Amounts => container.resources?.[field] ?? {};
  let running = (spec.containers ?? []).reduce<Amounts>((sum, container) => plus(sum, of(container)), {});
  let sidecars: Amounts = {};
  let peak: Amounts = {};
  for (const container of spec.initContainers ?? []) {
    const needed = plus(sidecars, of(container));
    if (isSidecar(container)) {
      running = plus(running, of(container));
      sidecars = needed;
    }
    peak = greatest(peak, needed);
  }
  return greatest(running, peak);
}

function plus(left: Amounts, right: Amounts): Amounts {
  return combine(left, right, addQuantities);
}

function greatest(left: Amounts, right: Amounts): Amounts {
  return combine(left, right, (a, b) => (compareQuantities(a, b) >= 0 ? a : b));
}

function combine(left: Amounts, right: Amounts, both: (left: Quantity, right: Quantity) => Quantity): Amounts {
  const result = new Map(Object.entries(left));
  for (const [name, quantity] of Object.entries(right)) {
    const other = result.get(name);
    result.set(name, other === undefined ? quantity : both(other, quantity));
  }
  return Object.fromEntries(result);
}

type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const counted = ['cpu', 'memory'];

/** Returns the class set at creation, or computes it. */
export function qosClassOf(pod: Pod): QosClass {
  return pod.status?.qosClass || computeQosClass(pod.spec);
}

/**
 * Computes how a Pod is treated when its node runs short of resources: guaranteed when every container limits cpu and
 * memory to exactly its requests, best effort without requests and limits, burstable otherwise. Pod-level resources
 * take precedence.
 */
export function computeQosClass(spec: PodSpec | undefined): QosClass {
  const parts = spec?.resources ? [spec.resources] : containersOf(spec).map(({ resources = {} }) => resources);
  const requests = total(parts, 'requests');
  const limits = total(parts, 'limits');
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return 'BestEffort';
  return parts.every(limitsBoth) && isSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

function containersOf(spec: PodSpec | undefined): Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}

function total(parts: readonly ResourceRequirements[], field: 'requests' | 'limits'): Amounts {
  const sum: Amounts = {};
  for (const part of parts)
    for (const name of counted) {
      const quantity = part[field]?.[name];
      if (quantity === undefined || quantitySign(quantity) <= 0) continue;
      const before = sum[name];
      sum[name] = before === undefined ? quantity : addQuantities(before, quantity);
    }
  return sum;
}

function limitsBoth({ limits = {} }: ResourceRequirements): boolean {
  return counted.every((name) => limits[name] !== undefined && quantitySign(limits[name]) > 0);
}

function isSame(requests: Amounts, limits: Amounts): boolean {
  return counted.every((name) => {
    const [request, limit] = [requests[name], limits[name]];
    return request === undefined || limit === undefined ? request === limit : compareQuantities(request, limit) === 0;
  });
}
