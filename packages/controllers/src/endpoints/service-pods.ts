import type { Clock } from '@pintle/async';
import type { Pod, PodSpec, Service, ServicePort } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Predicate } from '@pintle/operator';
import { filterInTurns } from '../common/filter-in-turns.ts';
import { isReady, isTerminal } from '../common/pods.ts';
import { labelsSelectorOf } from '../common/selectors.ts';

/** Returns the pods that a Service's selector matches. */
export async function podsOf(clock: Clock, { spec }: Service, pods: readonly Pod[]): Promise<Pod[]> {
  const selector = labelsSelectorOf(spec?.selector ?? {});
  return await filterInTurns(clock, pods, ({ metadata: { labels } }) => selector.matches(labels));
}

/** True when a changed pod affects endpoints: its labels, readiness, addresses, or its deletion. Its phase does not. */
export const isPodEndpointChanged: Predicate<Pod> = (change) =>
  change.type !== 'updated' || isEndpointChanged(change.object, change.previous);

function isEndpointChanged(pod: Pod, previous: Pod): boolean {
  if (pod.metadata.deletionTimestamp || isReady(pod) !== isReady(previous)) return true;
  const placeOf = ({ metadata, spec, status }: Pod) => [
    metadata.labels ?? {},
    spec?.hostname,
    spec?.subdomain,
    status?.podIPs?.map(({ ip }) => ip) ?? [],
  ];
  return !deepEqual(placeOf(pod), placeOf(previous));
}

/** True when the pod may be an endpoint: it has an address. */
export function isAddressable(pod: Pod): boolean {
  return !isTerminal(pod) && !!pod.status?.podIP;
}

/** Returns the pod's address of an IP family. */
export function podAddress({ status }: Pod, family: string): string | undefined {
  const addresses = status?.podIPs?.map(({ ip }) => ip ?? '') ?? (status?.podIP ? [status.podIP] : []);
  return addresses.find((ip) => ip.includes(':') === (family === 'IPv6'));
}

/**
 * Returns the number of a Service's port at a pod, where it may be a named port; `undefined` when the pod has no such
 * port.
 */
export function targetPort(
  { targetPort: target, port, protocol = 'TCP' }: ServicePort,
  { spec }: Pod,
): number | undefined {
  if (typeof target === 'number') return target;
  if (target === undefined || target === '') return port;
  return spec && namedPorts(spec).get(`${protocol} ${target}`);
}

const NAMED_PORTS = new WeakMap<PodSpec, ReadonlyMap<string, number>>();

/**
 * Returns the ports of a pod by protocol and name; the first of a name counts. Cached, because every port of a Service
 * may look one up.
 */
function namedPorts(spec: PodSpec): ReadonlyMap<string, number> {
  const known = NAMED_PORTS.get(spec);
  if (known !== undefined) return known;
  const named = new Map<string, number>();
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...(spec.containers ?? []), ...sidecars])
    for (const { name, protocol = 'TCP', containerPort } of ports) {
      const key = `${protocol} ${name ?? ''}`;
      if (!named.has(key)) named.set(key, containerPort);
    }
  NAMED_PORTS.set(spec, named);
  return named;
}
