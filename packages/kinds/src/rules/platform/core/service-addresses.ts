import { duplicate, FieldPath, firstWholeListErrors, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { ipFamilyOf, parseIp, validateLegacyIp } from '@pintle/machinery/names';
import type { Service, ServiceSpec } from '../../../generated/core/v1.ts';
import { type Check, checkOptionalChoice, passes } from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { ensure } from '../../common/object-fields.ts';
import { needsClusterIp, needsHealthCheckPort, nodePortsOf } from './service-types.ts';

/**
 * The addresses of a service: `clusterIP` with its plural `clusterIPs`, and their families. The server allocates
 * addresses; these rules hold before it does.
 */
type IpFamily = 'IPv4' | 'IPv6';

/** The families of this cluster's ranges, the default first. */
const clusterFamilies: readonly IpFamily[] = ['IPv4'];

export function isHeadless(spec: ServiceSpec): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
}

/** Keeps allocated addresses and ports that an update omits, as long as the type still uses them. */
export function keepAllocations(next: Service, previous: Service): void {
  const spec = ensure(next, 'spec');
  const former = previous.spec ?? {};
  if (needsClusterIp(former) && needsClusterIp(spec)) {
    if (!spec.clusterIP && former.clusterIP) spec.clusterIP = former.clusterIP;
    if (!spec.clusterIPs?.length && former.clusterIPs?.length) spec.clusterIPs = [...former.clusterIPs];
  }
  if (allocatesNodePorts(former) && allocatesNodePorts(spec)) keepNodePorts(spec, former);
  if (needsHealthCheckPort(former) && needsHealthCheckPort(spec) && former.healthCheckNodePort)
    spec.healthCheckNodePort ||= former.healthCheckNodePort;
}

function allocatesNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Matches ports by name; a node port that another port of the service requests is not kept. */
function keepNodePorts(spec: ServiceSpec, former: ServiceSpec): void {
  const requested = nodePortsOf(spec);
  const known = new Map((former.ports ?? []).map(({ name, nodePort }) => [name ?? '', nodePort]));
  for (const port of spec.ports ?? []) {
    const nodePort = port.nodePort ? undefined : known.get(port.name ?? '');
    if (nodePort && !requested.has(nodePort)) port.nodePort = nodePort;
  }
}

/** `clusterIP` and `clusterIPs` have the same addresses: a change of only one of them changes both. */
export function normalizeClusterIps(next: Service, previous: Service | undefined): void {
  const spec = ensure(next, 'spec');
  if (previous === undefined) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const former = previous.spec ?? {};
  if (spec.clusterIP === former.clusterIP || !deepEqual(spec.clusterIPs ?? [], former.clusterIPs ?? [])) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** Sets the families of a service that has none, as far as that is possible without an error. */
export function fillIpFamilies(service: Service, previous: Service | undefined): void {
  const spec = ensure(service, 'spec');
  if (!needsClusterIp(spec)) return;
  const withoutSelector = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= previous?.spec?.ipFamilyPolicy ?? (withoutSelector ? 'RequireDualStack' : 'SingleStack');
  if (!passes(checkAddressFields(service, previous))) return;
  if (previous !== undefined && spec.ipFamilyPolicy === 'SingleStack') releaseSecondary(spec, previous.spec ?? {});
  if (!passes(checkFamilies(service, previous))) return;
  const named = (spec.ipFamilies ?? []) as IpFamily[];
  const families = [...named, ...familiesOf(spec.clusterIPs ?? []).slice(named.length)];
  if (families.length === 0) families.push(clusterFamilies[0]!);
  const canBeDual = withoutSelector || clusterFamilies.length > 1;
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && canBeDual)
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec.ipFamilies = families;
}

/** Drops the second address and family of a service that changes to a single family, if its author left both unchanged. */
function releaseSecondary(spec: ServiceSpec, former: ServiceSpec): void {
  if (deepEqual(spec.clusterIPs, former.clusterIPs) && spec.clusterIPs) spec.clusterIPs = spec.clusterIPs.slice(0, 1);
  if (deepEqual(spec.ipFamilies, former.ipFamilies) && spec.ipFamilies) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
}

function familiesOf(addresses: readonly string[]): IpFamily[] {
  return addresses.flatMap((text) => {
    const address = parseIp(text);
    return address === undefined ? [] : [`IPv${ipFamilyOf(address)}` as const];
  });
}

const specPath = FieldPath.of('spec');
const addressesPath = specPath.child('clusterIPs');
const familiesPath = specPath.child('ipFamilies');
const policyPath = specPath.child('ipFamilyPolicy');

/** Checks addresses and families by themselves, without the ranges of the cluster. */
export function* checkAddressFields({ spec = {} }: Service, previous: Service | undefined): Check {
  if (!needsClusterIp(spec)) return;
  const addresses = spec.clusterIPs ?? [];
  if (spec.clusterIP) {
    if (addresses.length === 0) yield required(addressesPath);
    else if (addresses[0] !== spec.clusterIP)
      yield invalid(addressesPath, addresses, 'first value must match `clusterIP`');
  } else if (addresses.length > 0) {
    yield invalid(addressesPath, addresses, 'must be empty when `clusterIP` is not specified');
  }
  yield* checkFamilyNames(spec.ipFamilies ?? []);
  yield* checkOptionalChoice(policyPath, spec.ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack']);
  yield* checkAddresses(spec, previous?.spec?.clusterIPs ?? []);
}

function* checkFamilyNames(families: readonly string[]): Check {
  const isRepeated = repeats<string>();
  for (const [index, family] of families.entries()) {
    if (family !== 'IPv4' && family !== 'IPv6') yield notSupported(familiesPath.index(index), family, ['IPv4', 'IPv6']);
    if (isRepeated(family)) yield duplicate(familiesPath.index(index), family);
  }
}

function* checkAddresses(spec: ServiceSpec, known: readonly string[]): Check {
  const addresses = spec.clusterIPs ?? [];
  let wellFormed = true;
  for (const [index, address] of addresses.entries()) {
    if (index === 0 && address === 'None') {
      if (addresses.length === 1) continue;
      yield invalid(addressesPath, addresses, "'None' must be the first and only value");
      wellFormed = false;
      continue;
    }
    const errors = known.includes(address) ? [] : validateLegacyIp(address, addressesPath.index(index));
    yield* errors;
    wellFormed &&= errors.length === 0;
  }
  if (addresses.length > 2) yield invalid(addressesPath, addresses, 'may only hold up to 2 values');
  if (!wellFormed) return;
  const families = familiesOf(addresses);
  if (addresses.length > 1 && new Set(families).size !== addresses.length)
    yield invalid(addressesPath, addresses, 'may specify no more than one IP for each IP family');
  if (isHeadless(spec)) return;
  for (const [index, family] of (spec.ipFamilies ?? []).slice(0, addresses.length).entries()) {
    if ((family === 'IPv4' || family === 'IPv6') && families[index] !== family)
      yield invalid(
        addressesPath.index(index),
        addresses[index],
        `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
      );
  }
}

/** Checks families against the policy and, where that finds no error, against the families of this cluster. */
export function* checkFamilies({ spec = {} }: Service, previous: Service | undefined): Check {
  if (!needsClusterIp(spec)) return;
  const errors = [...checkPolicy(spec, previous?.spec ?? {})];
  yield* errors;
  if (errors.length > 0 || (spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0)) return;
  if (spec.ipFamilyPolicy === 'RequireDualStack' && clusterFamilies.length < 2)
    yield invalid(policyPath, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services');
  for (const [index, family] of (spec.ipFamilies ?? []).entries())
    if (!(clusterFamilies as readonly string[]).includes(family))
      yield invalid(familiesPath.index(index), family, 'not configured on this cluster');
}

/** Removing the second address or family requires a policy of a single family; a service with two requires a policy of two. */
function* checkPolicy(spec: ServiceSpec, former: ServiceSpec): Check {
  if (spec.ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be 'SingleStack' to release the secondary";
    if (isReduced(spec.clusterIPs, former.clusterIPs))
      yield invalid(policyPath, spec.ipFamilyPolicy, `${detail} cluster IP`);
    if (isReduced(spec.ipFamilies, former.ipFamilies))
      yield invalid(policyPath, spec.ipFamilyPolicy, `${detail} IP family`);
  } else {
    const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (spec.clusterIPs?.length === 2)
      yield invalid(policyPath, spec.ipFamilyPolicy, `${detail} cluster IPs are specified`);
    if (spec.ipFamilies?.length === 2)
      yield invalid(policyPath, spec.ipFamilyPolicy, `${detail} IP families are specified`);
  }
  yield* firstWholeListErrors(checkUnnamedFamilies(spec));
}

function* checkUnnamedFamilies(spec: ServiceSpec): Check {
  for (const [index, family] of familiesOf(spec.clusterIPs ?? []).entries())
    if (index >= (spec.ipFamilies ?? []).length && !clusterFamilies.includes(family))
      yield invalid(addressesPath.index(index), spec.clusterIPs, `${family} is not configured on this cluster`);
}

function isReduced(values: readonly string[] = [], before: readonly string[] = []): boolean {
  return values.length > 0 && values.length < before.length;
}

/** The first address and the first family are fixed; a second may be added and removed. */
export function* checkAddressChange(next: Service, previous: Service): Check {
  const spec = next.spec ?? {};
  const former = previous.spec ?? {};
  if (!needsClusterIp(spec) || !needsClusterIp(former)) return;
  const [headless, wasHeadless] = [isHeadless(spec), isHeadless(former)];
  if (!headless || !wasHeadless) yield* checkListChange(spec, former, 'clusterIPs');
  if (!headless && !wasHeadless) yield* checkListChange(spec, former, 'ipFamilies');
}

function* checkListChange(spec: ServiceSpec, former: ServiceSpec, field: 'clusterIPs' | 'ipFamilies'): Check {
  const path = specPath.child(field);
  const [values, before] = [spec[field] ?? [], former[field] ?? []];
  const [noun, secondary] = field === 'clusterIPs' ? ['clusterIP', 'clusterIP'] : ['ipFamily', 'ipFamily'];
  if (values.length === before.length) {
    for (const [index, value] of before.entries())
      if (value !== values[index])
        yield invalid(path.index(field === 'clusterIPs' ? index : 0), values, 'may not change once set');
    return;
  }
  if (before.length > 0 && values.length === 0)
    yield invalid(path.index(0), values, `primary ${noun} can not be unset`);
  if (before.length > 0 && values.length > 0 && values[0] !== before[0])
    yield invalid(path.index(0), spec.clusterIPs ?? [], 'may not change once set');
  if (before.length > values.length && values.length === 1 && spec.ipFamilyPolicy !== 'SingleStack')
    yield invalid(
      policyPath,
      spec.ipFamilyPolicy,
      `must be set to 'SingleStack' when releasing the secondary ${secondary}`,
    );
}
