import type { CachedClient } from '@pintle/client';
import { IPAddress, ServiceCIDR } from '@pintle/kinds/networking/v1';
import type { Cidr } from '@pintle/machinery/names';
import { cidrContains, parseCidr, parseIp } from '@pintle/machinery/names';
import { formatTime } from '@pintle/machinery/time';
import type { Controller, Manager, Request } from '@pintle/operator';

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const ALLOCATOR = 'ipallocator.k8s.io';
/** Time for allocators to learn that a ServiceCIDR is being deleted. */
const GRACE_MS = 10_000;

/** Marks ServiceCIDRs ready, and lets one be deleted when no address depends on it alone. */
export function addServiceCidrController(manager: Manager): Controller {
  return manager
    .controller(ServiceCIDR, 'service-cidr')
    .watches(ServiceCIDR, () => allRanges(manager))
    .watches(IPAddress, (address) => leavingRanges(manager, address))
    .reconcile(async (range, { client, clock }) => {
      const { deletionTimestamp, finalizers = [] } = range.metadata;
      if (deletionTimestamp === undefined) {
        const kept = finalizers.includes(FINALIZER)
          ? range
          : await setFinalizers(client, range, [...finalizers, FINALIZER]);
        return await setReady(client, kept, { status: 'True', reason: '', message: READY }, clock.now());
      }
      if (await isNeeded(client, range))
        return await setReady(client, range, { status: 'False', reason: 'Terminating', message: NEEDED }, clock.now());
      const leftMs = Date.parse(deletionTimestamp) + GRACE_MS - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      if (finalizers.includes(FINALIZER))
        await setFinalizers(
          client,
          range,
          finalizers.filter((other) => other !== FINALIZER),
        );
    });
}

const READY = 'Kubernetes Service CIDR is ready';
const NEEDED =
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR';

/** True when an address is in this range and in no other. */
async function isNeeded(client: CachedClient, range: ServiceCIDR): Promise<boolean> {
  const others = (await client.list(ServiceCIDR)).filter(
    ({ metadata }) => metadata.name !== range.metadata.name && metadata.deletionTimestamp === undefined,
  );
  const elsewhere = others.flatMap(prefixesOf);
  const own = prefixesOf(range);
  if (own.every((prefix) => elsewhere.some((other) => isWithin(prefix, other)))) return false;
  const addresses = await client.list(IPAddress, { labelSelector: `${MANAGED_BY}=${ALLOCATOR}` });
  return addresses.some(({ metadata }) => {
    const ip = parseIp(metadata.name ?? '');
    if (ip === undefined || !own.some((prefix) => cidrContains(prefix, ip))) return false;
    return !elsewhere.some((prefix) => cidrContains(prefix, ip));
  });
}

function prefixesOf({ spec }: ServiceCIDR): Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

function isWithin(inner: Cidr, outer: Cidr): boolean {
  return outer.prefixLength <= inner.prefixLength && cidrContains(outer, inner.address);
}

async function setFinalizers(client: CachedClient, range: ServiceCIDR, finalizers: string[]): Promise<ServiceCIDR> {
  return await client.update(ServiceCIDR, { ...range, metadata: { ...range.metadata, finalizers } });
}

async function setReady(
  client: CachedClient,
  range: ServiceCIDR,
  next: { readonly status: string; readonly reason: string; readonly message: string },
  nowMs: number,
): Promise<void> {
  const before = range.status?.conditions?.find(({ type }) => type === 'Ready');
  if (before?.status === next.status && before.reason === next.reason && before.message === next.message) return;
  const ready = { type: 'Ready', ...next, lastTransitionTime: formatTime(nowMs) } as const;
  const configuration = { metadata: { name: range.metadata.name ?? '' }, status: { conditions: [ready] } };
  await client.apply(ServiceCIDR, configuration, {
    fieldManager: 'service-cidr-controller',
    force: true,
    subresource: 'status',
  });
}

/** A new range may allow another one to be deleted. */
function* allRanges(manager: Manager): Iterable<Request> {
  for (const { metadata } of manager.informers.find(ServiceCIDR)?.cache.list() ?? [])
    yield { name: metadata.name ?? '' };
}

function* leavingRanges(manager: Manager, { metadata }: IPAddress): Iterable<Request> {
  if (metadata.labels?.[MANAGED_BY] !== ALLOCATOR) return;
  for (const range of manager.informers.find(ServiceCIDR)?.cache.list() ?? [])
    if (range.metadata.deletionTimestamp !== undefined) yield { name: range.metadata.name ?? '' };
}
