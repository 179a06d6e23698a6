import type { RequestHeaderOptions } from '@pintle/apiserver';
import type { ConfigMap, Service } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import { addressObject } from '../builtin/special/service-addresses.ts';
import type { Seed, SeedContext } from './seed.ts';
import { seedsOf } from './seed.ts';

export interface SystemOptions {
  /** CIDRs of service addresses. */
  readonly serviceCidrs: readonly string[];
  /** Address of `default/kubernetes`, the first of the first range. */
  readonly serviceAddress: string;
  /** Port of this server. */
  readonly port: number;
  /** PEM certificates of the authorities of client certificates. */
  readonly clientCa?: string;
  readonly requestHeaders?: RequestHeaderOptions;
}

const namespace = seedsOf('', 'v1', 'namespaces', 'Namespace');
const priorityClass = seedsOf('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', { hasGeneration: true });
const serviceCidr = seedsOf('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR');
const service = seedsOf('', 'v1', 'services', 'Service');
const configMap = seedsOf('', 'v1', 'configmaps', 'ConfigMap');

/**
 * Returns namespaces, priority classes, the ServiceCIDR, the server's own Service, and the configuration for extension
 * servers.
 */
export function systemSeeds(options: SystemOptions, context: SeedContext): Seed[] {
  return [
    ...namespaceSeeds(),
    ...priorityClassSeeds(),
    serviceCidr(
      { name: 'kubernetes' },
      { spec: { cidrs: options.serviceCidrs }, status: { conditions: [readySince(context.nowMs)] } },
    ),
    serverServiceSeed(options, context),
    ...configMapSeeds(options, context),
  ];
}

function namespaceSeeds(): Seed[] {
  return ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) =>
    namespace(
      { name, labels: { 'kubernetes.io/metadata.name': name } },
      { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
    ),
  );
}

function priorityClassSeeds(): Seed[] {
  const preemptionPolicy = 'PreemptLowerPriority';
  return [
    priorityClass(
      { name: 'system-cluster-critical' },
      {
        value: 2_000_000_000,
        description:
          'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
        preemptionPolicy,
      },
    ),
    priorityClass(
      { name: 'system-node-critical' },
      {
        value: 2_000_001_000,
        description: 'Used for system critical pods that must not be moved from their current node.',
        preemptionPolicy,
      },
    ),
  ];
}

function readySince(nowMs: number): object {
  return {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
}

function serverServiceSeed({ serviceAddress, port }: SystemOptions, context: SeedContext): Seed {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const spec = {
    ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    clusterIP: serviceAddress,
    clusterIPs: [serviceAddress],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ipFamilies: [serviceAddress.includes(':') ? 'IPv6' : 'IPv4'],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
  };
  const seed = service({ name: 'kubernetes', namespace: 'default', labels }, { spec, status: { loadBalancer: {} } });
  const address = addressObject(seed.object as Service, serviceAddress, {
    uid: context.uuid(),
    nowMs: context.nowMs,
  });
  const gvr = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
  return { ...seed, claim: { gvr, object: address, hasGeneration: false } };
}

function configMapSeeds(options: SystemOptions, { nowMs }: SeedContext): Seed[] {
  const home = 'kube-system';
  const data = authenticationData(options);
  return [
    {
      ...configMap(
        { name: 'extension-apiserver-authentication', namespace: home },
        Object.keys(data).length > 0 ? { data } : {},
      ),
      upkeep: (stored) => withData(stored as ConfigMap, data),
    },
    configMap(
      { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: home },
      { data: { since: formatTime(nowMs).slice(0, 10) } },
    ),
  ];
}

/** Returns the content of `extension-apiserver-authentication`. */
function authenticationData({ clientCa, requestHeaders }: SystemOptions): Record<string, string> {
  return {
    ...(clientCa && { 'client-ca-file': clientCa }),
    ...(requestHeaders && {
      'requestheader-allowed-names': JSON.stringify(requestHeaders.allowedNames),
      'requestheader-client-ca-file': requestHeaders.authorities,
      'requestheader-extra-headers-prefix': JSON.stringify(requestHeaders.extraPrefixes),
      'requestheader-group-headers': JSON.stringify(requestHeaders.groupHeaders),
      'requestheader-uid-headers': JSON.stringify(requestHeaders.uidHeaders),
      'requestheader-username-headers': JSON.stringify(requestHeaders.usernameHeaders),
    }),
  };
}

/** Updates the data: authorities may change between starts. */
function withData(stored: ConfigMap, data: Record<string, string>): ConfigMap | undefined {
  const isCurrent = Object.entries(data).every(([key, value]) => stored.data?.[key] === value);
  return isCurrent ? undefined : { ...stored, data: { ...stored.data, ...data } };
}
