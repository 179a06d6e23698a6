import { deepEqual } from '@pintle/machinery/json';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import { ensure } from '../../common/object-fields.ts';

const defaultAffinitySeconds = 3 * 60 * 60;

/** Sets defaults that depend on the type of a service. */
export function defaultService(service: Service): void {
  const spec = ensure(service, 'spec');
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  spec.type ??= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ??= 'TCP';
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= 'Cluster';
  if (needsNodePorts(spec) || spec.type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') defaultLoadBalancer(service, spec);
}

function defaultLoadBalancer({ status }: Service, spec: ServiceSpec): void {
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
}

export function isExternallyAccessible(spec: ServiceSpec): boolean {
  return needsNodePorts(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
}

export function needsClusterIp(spec: ServiceSpec): boolean {
  return spec.type !== 'ExternalName';
}

export function needsNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Load balancers with a local traffic policy ask every node whether it has an endpoint. */
export function needsHealthCheckPort(spec: ServiceSpec): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/**
 * When the type changes, drops the fields that only the former type supports, unless the author changed them in the
 * same update: validation refuses those.
 */
export function dropFieldsOfFormerType(next: Service, previous: Service): void {
  const spec = ensure(next, 'spec');
  const former = previous.spec ?? {};
  if (needsClusterIp(former) && !needsClusterIp(spec)) dropAddresses(spec, former);
  if (needsNodePorts(former) && !needsNodePorts(spec) && hasNoNewNodePorts(spec, former))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (needsHealthCheckPort(former) && !needsHealthCheckPort(spec)) dropIfSame(spec, former, 'healthCheckNodePort');
  if (former.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropIfSame(spec, former, 'allocateLoadBalancerNodePorts');
    dropIfSame(spec, former, 'loadBalancerClass');
  }
  if (isExternallyAccessible(former) && !isExternallyAccessible(spec))
    dropIfSame(spec, former, 'externalTrafficPolicy');
  if (spec.type !== 'LoadBalancer') next.status = { ...next.status, loadBalancer: {} };
}

function dropAddresses(spec: ServiceSpec, former: ServiceSpec): void {
  if (spec.clusterIP === former.clusterIP && deepEqual(spec.clusterIPs, former.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  dropIfSame(spec, former, 'ipFamilies');
  dropIfSame(spec, former, 'ipFamilyPolicy');
}

function dropIfSame(spec: ServiceSpec, former: ServiceSpec, field: keyof ServiceSpec): void {
  if (deepEqual(spec[field], former[field])) delete spec[field];
}

function hasNoNewNodePorts(spec: ServiceSpec, former: ServiceSpec): boolean {
  const known = nodePortsOf(former);
  return [...nodePortsOf(spec)].every((port) => known.has(port));
}

export function nodePortsOf(spec: ServiceSpec): ReadonlySet<number> {
  return new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])));
}
