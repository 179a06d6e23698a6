import type { Container, Pod, PodSpec, PodStatus, ResourceRequirements } from '../../../generated/core/v1.ts';
import { dropAnnotations } from '../../common/object-fields.ts';
import { defaultPodSpec, initContainerAnnotations } from '../../common/pod/defaults.ts';
import { isOvercommittable, isSupportedForPods, sumOverContainers } from '../../common/pod/resources.ts';
import { roundUpAmounts } from '../../common/quantities.ts';
import { isHugePages } from '../../common/resource-names.ts';

/** Sets the defaults that only Pods have, not templates. */
export function defaultPod({ metadata, spec, status }: Pod): void {
  dropAnnotations(metadata, initContainerAnnotations);
  if (status !== undefined) defaultStatus(status);
  if (spec === undefined) return;
  for (const container of containersOf(spec)) defaultRequests(container.resources);
  if (spec.resources !== undefined) defaultPodResources(spec, spec.resources);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) for (const container of containersOf(spec)) defaultHostPorts(container);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  defaultPodSpec(spec);
}

function defaultStatus(status: PodStatus): void {
  normalizePodIps(status);
  const containers = [status.initContainerStatuses, status.containerStatuses, status.ephemeralContainerStatuses];
  for (const counted of [status, ...containers.flatMap((list) => list ?? [])]) {
    const { allocatedResources, resources } = counted;
    for (const amounts of [allocatedResources, resources?.limits, resources?.requests]) roundUpAmounts(amounts);
  }
}

function containersOf(spec: PodSpec): Container[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}

/** Copies limits to requests that are not set. */
function defaultRequests(resources: ResourceRequirements | undefined): void {
  if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
}

/**
 * Limits of huge pages default to the sum of the containers'; requests default to that of the containers' where there
 * are any, else to the limits.
 */
function defaultPodResources(spec: PodSpec, resources: ResourceRequirements): void {
  const { limits = {}, requests = {} } = resources;
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return;
  for (const [name, sum] of Object.entries(sumOverContainers(spec, 'limits')))
    if (isHugePages(name) && requests[name] === undefined) limits[name] ??= sum;
  if (Object.keys(limits).length === 0) return;
  resources.limits = limits;
  for (const [name, sum] of Object.entries(sumOverContainers(spec, 'requests')))
    if (isSupportedForPods(name) && isOvercommittable(name)) requests[name] ??= sum;
  for (const [name, limit] of Object.entries(limits)) if (isSupportedForPods(name)) requests[name] ??= limit;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

/** With host networking the host port is the container port. */
function defaultHostPorts({ ports }: Container): void {
  for (const port of ports ?? []) port.hostPort ||= port.containerPort;
}

/**
 * Sets `podIP` to the first of `podIPs` and the reverse; where they differ the older field wins, because older kubelets
 * set only that.
 */
function normalizePodIps(status: PodStatus): void {
  const { podIP, podIPs = [] } = status;
  if (podIP && podIPs[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (podIPs[0]?.ip) status.podIP = podIPs[0].ip;
}
