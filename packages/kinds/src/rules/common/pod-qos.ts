import type { Container, Pod, PodSpec, ResourceRequirements } from '../../generated/core/v1.ts';
import { addQuantities, quantitySign } from './pod-quantities.ts';
import type { Amounts } from './pod-resources.ts';
import { compareQuantities } from './quantities.ts';

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const counted = ['cpu', 'memory'];

/** What was decided at creation, or what would be decided now. */
export function qosClassOf(pod: Pod): QosClass {
  return pod.status?.qosClass ?? computeQosClass(pod.spec);
}

/**
 * How a Pod is treated when its node runs short: guaranteed when every container limits cpu and memory to exactly what
 * it requests, best effort when nothing is asked for, burstable between. What the Pod asks for as a whole goes first.
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

function total(parts: readonly ResourceRequirements[], what: 'requests' | 'limits'): Amounts {
  const sum: Amounts = {};
  for (const part of parts)
    for (const name of counted) {
      const quantity = part[what]?.[name];
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
