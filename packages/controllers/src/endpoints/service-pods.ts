import type { Pod, PodSpec, Service, ServicePort } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Predicate } from '@pintle/operator';
import { isEnded, isReady } from '../common/pods.ts';
import { labelsSelectorOf } from '../common/selectors.ts';

/** The pods that a service's selector finds. */
export function podsOf({ spec }: Service, pods: readonly Pod[]): Pod[] {
  const selector = labelsSelectorOf(spec?.selector ?? {});
  return pods.filter(({ metadata: { labels } }) => selector.matches(labels));
}

/**
 * Whether services have to look again at a pod that changed: its membership, readiness or addresses. That it has ended
 * is not among it. One that is going is always looked at.
 */
export const isPodMoved: Predicate<Pod> = (change) =>
  change.type !== 'updated' || isMoved(change.object, change.previous);

function isMoved(pod: Pod, previous: Pod): boolean {
  if (pod.metadata.deletionTimestamp || isReady(pod) !== isReady(previous)) return true;
  const placeOf = ({ metadata, spec, status }: Pod) => [
    metadata.labels ?? {},
    spec?.hostname,
    spec?.subdomain,
    status?.podIPs?.map(({ ip }) => ip) ?? [],
  ];
  return !deepEqual(placeOf(pod), placeOf(previous));
}

/** Those that may stand behind it: they have an address. */
export function isAddressable(pod: Pod): boolean {
  return !isEnded(pod) && !!pod.status?.podIP;
}

/** Where a pod is reached in this family. */
export function podAddress({ status }: Pod, family: string): string | undefined {
  const addresses = status?.podIPs?.map(({ ip }) => ip ?? '') ?? (status?.podIP ? [status.podIP] : []);
  return addresses.find((ip) => ip.includes(':') === (family === 'IPv6'));
}

/** The number behind a service's port at a pod: a pod may call it by name. `undefined`: it has no such port. */
export function targetPort(
  { targetPort: target, port, protocol = 'TCP' }: ServicePort,
  { spec }: Pod,
): number | undefined {
  if (typeof target === 'number') return target;
  if (target === undefined || target === '') return port;
  return spec && namedPorts(spec).get(`${protocol} ${target}`);
}

const NAMED_PORTS = new WeakMap<PodSpec, ReadonlyMap<string, number>>();

/** The ports of a pod by protocol and name, of which the first counts. Every port of a service may ask for one. */
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
