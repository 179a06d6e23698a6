import { duplicate, type FieldError, FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import {
  parseIp,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabels,
  validateLegacyCidr,
  validateLegacyIp,
  validatePortNumber,
  validateQualifiedName,
} from '@pintle/machinery/names';
import type { Service, ServicePort, ServiceSpec } from '../../../generated/core/v1.ts';
import { type Check, checkChoice, checkOptionalChoice, checkPort, problems } from '../../common/checks.ts';
import { checkEndpointIp } from './endpoint-ip.ts';
import { isHeadless } from './service-addresses.ts';
import { isExternallyAccessible, needsHealthCheckPort, needsNodePorts } from './service-types.ts';

const path = FieldPath.of('spec');
const portsPath = path.child('ports');
const annotationsPath = FieldPath.of('metadata', 'annotations');

export const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP'];
const maxAffinitySeconds = 24 * 60 * 60;

/** Checks everything but addresses, in Kubernetes' order. */
export function* checkService(service: Service, previous: Service | undefined): Check {
  const spec = service.spec ?? {};
  yield* checkTopologyAnnotations(service);
  if (!spec.ports?.length && !isHeadless(spec) && spec.type !== 'ExternalName') yield required(portsPath);
  yield* checkTypeAndAddress(spec);
  yield* checkPorts(spec.ports ?? []);
  yield* validateLabels(spec.selector, path.child('selector'));
  yield* checkAffinity(spec);
  yield* checkExternalIps(spec, previous?.spec);
  yield* checkChoice(path.child('type'), spec.type, ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']);
  yield* checkPortNumbers(spec);
  yield* checkSourceRanges(service, previous);
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer')
    yield forbidden(path.child('allocateLoadBalancerNodePorts'), onlyForLoadBalancers);
  yield* checkLoadBalancerClass(service, undefined);
  yield* checkTrafficPolicies(spec);
}

const onlyForLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

function* checkTopologyAnnotations({ metadata }: Service): Check {
  const hintsKey = 'service.kubernetes.io/topology-aware-hints';
  const modeKey = 'service.kubernetes.io/topology-mode';
  const { [hintsKey]: hints, [modeKey]: mode } = metadata.annotations ?? {};
  if (hints !== undefined && mode !== undefined && hints !== mode)
    yield invalid(annotationsPath.key(modeKey), mode, `must match annotations[${hintsKey}] when both are specified`);
}

function* checkTypeAndAddress(spec: ServiceSpec): Check {
  const { type, clusterIPs = [] } = spec;
  if (needsNodePorts(spec) && isHeadless(spec))
    yield invalid(path.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`);
  if (type !== 'ExternalName') return;
  const detail = 'may not be set for ExternalName services';
  if (clusterIPs.length > 0) yield forbidden(path.child('clusterIPs'), detail);
  if (spec.ipFamilies?.length) yield forbidden(path.child('ipFamilies'), detail);
  if (spec.ipFamilyPolicy !== undefined) yield forbidden(path.child('ipFamilyPolicy'), detail);
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') yield required(path.child('externalName'));
  else yield* problems(path.child('externalName'), name, validateDns1123Subdomain(name));
}

function* checkPorts(ports: readonly ServicePort[]): Check {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = portsPath.index(index);
    const { name } = port;
    if (name) {
      yield* problems(at.child('name'), name, validateDns1123Label(name));
      if (names.has(name)) yield duplicate(at.child('name'), name);
      names.add(name);
    } else if (ports.length > 1) {
      yield required(at.child('name'));
    }
    yield* problems(at.child('port'), port.port, validatePortNumber(port.port));
    yield* checkChoice(at.child('protocol'), port.protocol, protocols);
    yield* checkPort(at.child('targetPort'), port.targetPort ?? 0);
    if (port.appProtocol !== undefined)
      yield* problems(at.child('appProtocol'), port.appProtocol, validateQualifiedName(port.appProtocol));
  }
}

function* checkAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Check {
  yield* checkChoice(path.child('sessionAffinity'), sessionAffinity, ['ClientIP', 'None']);
  const at = path.child('sessionAffinityConfig');
  if (sessionAffinity !== 'ClientIP') return;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds <= 0 || seconds > maxAffinitySeconds)
    yield invalid(
      at.child('clientIP', 'timeoutSeconds'),
      seconds,
      `must be greater than 0 and less than ${maxAffinitySeconds}`,
    );
}

function* checkExternalIps(spec: ServiceSpec, former: ServiceSpec | undefined): Check {
  const known = new Set(former?.externalIPs);
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    const at = path.child('externalIPs').index(index);
    const errors = known.has(ip) ? [] : validateLegacyIp(ip, at);
    yield* errors.length > 0 ? errors : checkEndpointIp(ip, at);
  }
}

/** Checks that node ports fit the type, and that no port or node port is repeated for a protocol. */
function* checkPortNumbers({ type, ports = [] }: ServiceSpec): Check {
  for (const [index, { nodePort }] of ports.entries())
    if (type === 'ClusterIP' && nodePort)
      yield forbidden(portsPath.index(index).child('nodePort'), "may not be used when `type` is 'ClusterIP'");
  yield* checkDuplicates(ports, ({ protocol, nodePort }, at) =>
    nodePort ? { key: `${nodePort}/${protocol}`, error: duplicate(at.child('nodePort'), nodePort) } : undefined,
  );
  yield* checkDuplicates(ports, ({ protocol, port }, at) => ({
    key: `${port}/${protocol}`,
    error: duplicate(at, { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }),
  }));
}

function* checkDuplicates(
  ports: readonly ServicePort[],
  keyOf: (port: ServicePort, at: FieldPath) => { readonly key: string; readonly error: FieldError } | undefined,
): Check {
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const found = keyOf(port, portsPath.index(index));
    if (found === undefined) continue;
    if (seen.has(found.key)) yield found.error;
    seen.add(found.key);
  }
}

const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

function* checkSourceRanges(service: Service, previous: Service | undefined): Check {
  const ranges = service.spec?.loadBalancerSourceRanges ?? [];
  const annotation = service.metadata.annotations?.[sourceRangesAnnotation];
  if (ranges.length === 0 && annotation === undefined) return;
  // Kubernetes spells this path with a capital letter.
  const at = ranges.length > 0 ? path.child('LoadBalancerSourceRanges') : annotationsPath.key(sourceRangesAnnotation);
  if (service.spec?.type !== 'LoadBalancer') yield forbidden(at, onlyForLoadBalancers);
  if (ranges.length > 0) {
    const known = new Set((previous?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim()));
    for (const [index, range] of ranges.map((text) => text.trim()).entries())
      if (!known.has(range)) yield* validateLegacyCidr(range, at.index(index));
  } else if (annotation?.trim() && previous?.metadata.annotations?.[sourceRangesAnnotation] !== annotation) {
    for (const range of annotation.split(',')) yield* validateLegacyCidr(range.trim(), at);
  }
}

/** The class selects the implementation of the load balancer, so it is fixed as long as the type is. */
export function* checkLoadBalancerClass({ spec = {} }: Service, previous: Service | undefined): Check {
  const at = path.child('loadBalancerClass');
  const { loadBalancerClass } = spec;
  const former = previous?.spec;
  if (spec.type === 'LoadBalancer') {
    if (former?.type === 'LoadBalancer' && former.loadBalancerClass !== loadBalancerClass)
      yield invalid(at, loadBalancerClass, 'may not change once set');
    if (loadBalancerClass !== undefined)
      yield* problems(at, loadBalancerClass, validateQualifiedName(loadBalancerClass));
  } else if (loadBalancerClass !== undefined) {
    yield forbidden(at, onlyForLoadBalancers);
  }
}

/** The health check port is fixed as long as load balancers use it. */
export function* checkHealthCheckPortChange({ spec = {} }: Service, previous: Service): Check {
  const former = previous.spec ?? {};
  const isAsked = needsHealthCheckPort(spec) && needsHealthCheckPort(former);
  if (isAsked && spec.healthCheckNodePort !== former.healthCheckNodePort)
    yield forbidden(path.child('healthCheckNodePort'), 'field is immutable');
}

function* checkTrafficPolicies(spec: ServiceSpec): Check {
  const { externalTrafficPolicy, healthCheckNodePort } = spec;
  const externalPath = path.child('externalTrafficPolicy');
  if (isExternallyAccessible(spec)) yield* checkChoice(externalPath, externalTrafficPolicy, ['Cluster', 'Local']);
  else if (externalTrafficPolicy)
    yield invalid(externalPath, externalTrafficPolicy, 'may only be set for externally-accessible services');
  const healthPath = path.child('healthCheckNodePort');
  if (!needsHealthCheckPort(spec) && healthCheckNodePort)
    yield invalid(
      healthPath,
      healthCheckNodePort,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    );
  else if (healthCheckNodePort)
    yield* problems(healthPath, healthCheckNodePort, validatePortNumber(healthCheckNodePort));
  yield* checkOptionalChoice(path.child('internalTrafficPolicy'), spec.internalTrafficPolicy, ['Cluster', 'Local']);
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  yield* checkOptionalChoice(path.child('trafficDistribution'), spec.trafficDistribution, distributions);
}

export function* checkLoadBalancerStatus(next: Service, previous: Service): Check {
  const at = FieldPath.of('status', 'loadBalancer', 'ingress');
  const ingress = next.status?.loadBalancer?.ingress ?? [];
  if (next.spec?.type !== 'LoadBalancer') {
    if (ingress.length > 0) yield forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const known = new Set((previous.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  for (const [index, { ip, ipMode, hostname }] of ingress.entries()) {
    if (ip && !known.has(ip)) yield* validateLegacyIp(ip, at.index(index).child('ip'));
    yield* checkIpMode(at.index(index).child('ipMode'), ip, ipMode);
    yield* checkIngressHostname(at.index(index).child('hostname'), hostname);
  }
}

function* checkIpMode(at: FieldPath, ip: string | undefined, ipMode: string | undefined): Check {
  if (ip && ipMode === undefined) yield required(at, 'must be specified when `ip` is set');
  else if (!ip && ipMode !== undefined) yield forbidden(at, 'may not be specified when `ip` is not set');
  else yield* checkOptionalChoice(at, ipMode, ['Proxy', 'VIP']);
}

export function* checkIngressHostname(at: FieldPath, hostname: string | undefined): Check {
  if (!hostname) return;
  yield* problems(at, hostname, validateDns1123Subdomain(hostname));
  if (parseIp(hostname) !== undefined) yield invalid(at, hostname, 'must be a DNS name, not an IP address');
}
