import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '@pintle/machinery';
import { ipFamilyOf, parseIp } from '@pintle/machinery/names';
import type { Seed } from './seed.ts';
import { seedsOf } from './seed.ts';

const endpoints = seedsOf('', 'v1', 'endpoints', 'Endpoints');
const endpointSlice = seedsOf('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', { hasGeneration: true });

/**
 * Returns the endpoints of `default/kubernetes`: the addresses of all servers. They are updated when a server starts at another
 * address or port.
 */
export function serverEndpointSeeds(addresses: readonly string[], port: number): Seed[] {
  const home = { name: 'kubernetes', namespace: 'default' };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const family = addresses.every((address) => familyOf(address) === 6) ? 6 : 4;
  const inSlice = addresses.filter((address) => familyOf(address) === family);
  return [
    endpoints(
      { ...home, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      { subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports }] },
    ),
    endpointSlice(
      { ...home, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      {
        addressType: family === 6 ? 'IPv6' : 'IPv4',
        endpoints: inSlice.map((address) => ({ addresses: [address], conditions: { ready: true } })),
        ports,
      },
    ),
  ].map((seed) => ({ ...seed, upkeep: followServers }));
}

function familyOf(address: string): 4 | 6 {
  const ip = parseIp(address);
  if (ip === undefined) throw new RangeError(`Cannot advertise ${address}: it is not an IP address`);
  return ipFamilyOf(ip);
}

function followServers(stored: KubernetesObject, seed: KubernetesObject): KubernetesObject | undefined {
  const { metadata: _metadata, ...wanted } = seed;
  if (isDeepStrictEqual({ ...stored, ...wanted }, stored)) return undefined;
  const { generation } = stored.metadata;
  const metadata = { ...stored.metadata, ...(generation !== undefined && { generation: generation + 1 }) };
  return { ...stored, ...wanted, metadata };
}
