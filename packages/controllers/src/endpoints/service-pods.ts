import type { Pod, Service, ServicePort } from '@pintle/kinds/core/v1';
import { isEnded } from '../common/pods.ts';

/** The pods that a service's selector finds. */
export function podsOf({ spec }: Service, pods: readonly Pod[]): Pod[] {
  const wanted = Object.entries(spec?.selector ?? {});
  return pods.filter(({ metadata: { labels } }) => wanted.every(([key, value]) => labels?.[key] === value));
}

/** Those that may stand behind it: they have an address. */
export function isAddressable(pod: Pod): boolean {
  return !isEnded(pod) && !!pod.status?.podIP;
}

/** The number behind a service's port at a pod: a pod may call it by name. `undefined`: it has no such port. */
export function targetPort(
  { targetPort: target, port, protocol = 'TCP' }: ServicePort,
  { spec }: Pod,
): number | undefined {
  if (typeof target === 'number') return target;
  if (target === undefined || target === '') return port;
  for (const container of [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ])
    for (const candidate of container.ports ?? [])
      if (candidate.name === target && (candidate.protocol ?? 'TCP') === protocol) return candidate.containerPort;
  return undefined;
}
