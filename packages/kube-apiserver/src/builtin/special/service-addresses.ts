import type { EndpointDependencies } from '@pintle/apiserver/resource';
import { decodeObject, encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Service, ServiceSpec } from '@pintle/kinds/core/v1';
import type { IPAddress } from '@pintle/kinds/networking/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { internalError, invalid, invalidError } from '@pintle/machinery/errors';
import { formatIp, ipFamilyOf, parseIp } from '@pintle/machinery/names';
import { formatTime } from '@pintle/machinery/time';
import type { Operation, Revision } from '@pintle/store';
import { ownersOfSeed } from '../seed-owners.ts';
import type { AddressRange } from './service-ranges.ts';
import { chooseFree, serviceRanges } from './service-ranges.ts';

const ADDRESSES = { group: 'networking.k8s.io', resource: 'ipaddresses' };
const ABSENT = 0 as Revision;

/**
 * Fills in addresses that the service leaves to the server; returns the operations that claim and release addresses.
 */
export async function allocateAddresses(
  dependencies: EndpointDependencies,
  next: Service | undefined,
  previous: Service | undefined,
  isDryRun: boolean,
): Promise<Operation[]> {
  const held = addressesOf(previous?.spec);
  const operations: Operation[] = [];
  if (next?.spec !== undefined && needsAddresses(next.spec) && !isReplaced(next.spec, previous?.spec)) {
    for (const address of await completeAddresses(dependencies, next, held, isDryRun)) {
      if (!isDryRun) await checkFree(dependencies, next, address);
      operations.push(claim(dependencies, next, address));
    }
  }
  const kept = addressesOf(next?.spec);
  for (const address of held.filter((candidate) => !kept.includes(candidate))) {
    operations.push(...(await release(dependencies, previous!, address)));
  }
  return operations;
}

function addressesOf(spec: ServiceSpec | undefined): readonly string[] {
  return (spec?.clusterIPs ?? []).filter((address) => address !== 'None' && address !== '');
}

function needsAddresses({ type, clusterIP, clusterIPs }: ServiceSpec): boolean {
  return type !== 'ExternalName' && clusterIP !== 'None' && clusterIPs?.[0] !== 'None';
}

/** True when the primary address changes, which validation refuses: no other is then allocated. */
function isReplaced(spec: ServiceSpec, former: ServiceSpec | undefined): boolean {
  const [asked] = addressesOf(spec);
  const held = former?.type === 'ExternalName' ? undefined : former?.clusterIPs?.[0];
  return !!held && asked !== undefined && asked !== held;
}

/**
 * Ensures one address for each family of the service and returns the new ones. Requested addresses must be in a range;
 * present ones may stay, even when their range is gone.
 */
async function completeAddresses(
  dependencies: EndpointDependencies,
  service: Service,
  held: readonly string[],
  isDryRun: boolean,
): Promise<readonly string[]> {
  const spec = service.spec!;
  const asked = addressesOf(spec);
  const fresh = asked.filter((address) => !held.includes(address));
  const families = (spec.ipFamilies ?? ['IPv4']).slice(asked.length);
  if (fresh.length === 0 && families.length === 0) return [];
  const ranges = await serviceRanges(dependencies);
  for (const address of fresh) checkInRange(service, address, ranges, isDryRun);
  for (const family of families) {
    const own = ranges.filter((range) => range.family === family);
    fresh.push(isDryRun ? firstOf(own) : await chooseAddress(dependencies, own));
  }
  const addresses = [...asked, ...fresh.filter((address) => !asked.includes(address))];
  spec.clusterIP = addresses[0]!;
  spec.clusterIPs = addresses;
  return fresh;
}

/** Returns the address that a dry run shows: the first of the range, which is never allocated. */
function firstOf(ranges: readonly AddressRange[]): string {
  if (ranges[0] === undefined) throw exhausted();
  return ranges[0].at(0);
}

async function chooseAddress(
  { store, random }: EndpointDependencies,
  ranges: readonly AddressRange[],
): Promise<string> {
  for (const range of ranges) {
    const offset = await chooseFree(random, range, (candidate) => isFree(store, range.at(candidate)));
    if (offset !== undefined) return range.at(offset);
  }
  throw exhausted();
}

function exhausted(): Error {
  return internalError('failed to allocate a serviceIP: range is full');
}

async function isFree(store: EndpointDependencies['store'], address: string): Promise<boolean> {
  return (await store.get(objectKey(ADDRESSES, '', address))) === undefined;
}

/** A dry run only checks and names the first range of the family. */
function checkInRange(service: Service, address: string, ranges: readonly AddressRange[], isDryRun: boolean): void {
  if (ranges.some((range) => range.offers(address))) return;
  const parsed = parseIp(address);
  const family = parsed !== undefined && ipFamilyOf(parsed) === 6 ? 'IPv6' : 'IPv4';
  const own = isDryRun ? ranges.find((range) => range.family === family) : undefined;
  throw refused(
    service,
    address,
    own === undefined
      ? 'the provided network does not match the current range'
      : `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${own.cidr}`,
  );
}

async function checkFree({ store }: EndpointDependencies, service: Service, address: string): Promise<void> {
  if (!(await isFree(store, canonical(address)))) throw refused(service, address, 'provided IP is already allocated');
}

function refused({ metadata, spec }: Service, address: string, why: string): Error {
  return invalidError({ group: '', kind: 'Service' }, metadata.name ?? '', [
    invalid('spec.clusterIPs', spec?.clusterIPs ?? [address], `failed to allocate IP ${address}: ${why}`),
  ]);
}

function canonical(address: string): string {
  const parsed = parseIp(address);
  return parsed === undefined ? address : formatIp(parsed);
}

function claim({ clock, random }: EndpointDependencies, service: Service, address: string): Operation {
  const nowMs = clock.now();
  const object = addressObject(service, canonical(address), { uid: random.uuid(), nowMs });
  object.metadata.managedFields = ownersOfSeed(object, nowMs);
  return {
    type: 'put',
    key: objectKey(ADDRESSES, '', object.metadata.name!),
    value: encodeObject(object),
    expected: ABSENT,
  };
}

export function addressObject(
  { metadata }: Service,
  address: string,
  { uid, nowMs }: { readonly uid: string; readonly nowMs: number },
): IPAddress & KubernetesObject {
  const parsed = parseIp(address);
  const { namespace = '', name = '' } = metadata;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: address,
      uid,
      creationTimestamp: formatTime(nowMs),
      labels: {
        'ipaddress.kubernetes.io/ip-family': parsed !== undefined && ipFamilyOf(parsed) === 6 ? 'IPv6' : 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

/** Returns no operation when the address belongs to another service by now. */
async function release({ store }: EndpointDependencies, { metadata }: Service, address: string): Promise<Operation[]> {
  const record = await store.get(objectKey(ADDRESSES, '', canonical(address)));
  if (record === undefined) return [];
  const parent = (decodeObject(record, 'IPAddress') as IPAddress).spec?.parentRef;
  if (parent?.name !== metadata.name || parent?.namespace !== metadata.namespace) return [];
  return [{ type: 'delete', key: record.key, expected: record.modRevision }];
}
