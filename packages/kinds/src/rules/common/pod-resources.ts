import type { Container, PodSpec } from '../../generated/core/v1.ts';
import type { Quantity } from '../../generated/meta/v1.ts';
import { isSidecar } from './pod-containers.ts';
import { addQuantities } from './pod-quantities.ts';
import { compareQuantities } from './quantities.ts';
import { isHugePages, isNativeResource } from './resource-names.ts';

export type Amounts = Record<string, Quantity>;

/** More of it may be promised than there is: limits above requests make sense. */
export function isOvercommittable(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** What a Pod can ask for as a whole. */
export function isSupportedForPods(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/**
 * What all containers of a Pod need together. Those that run, and sidecars, need theirs at the same time; an init
 * container needs its own beside the sidecars started before it, and the greatest of these moments counts.
 */
export function sumOverContainers(spec: PodSpec, what: 'requests' | 'limits'): Amounts {
  const of = (container: Container): Amounts => container.resources?.[what] ?? {};
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
