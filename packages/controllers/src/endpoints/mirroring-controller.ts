import type { CachedClient } from '@pintle/client';
import { Endpoints, Service } from '@pintle/kinds/core/v1';
import { type Endpoint, type EndpointPort, EndpointSlice } from '@pintle/kinds/discovery/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { controllerRef } from '../common/owners.ts';
import { eventRecorder, type RecordEvent } from '../common/record-event.ts';
import { MANAGED_BY, SERVICE_NAME } from './endpoint-slice-controller.ts';
import { slicePortText, sortByHash } from './port-order.ts';
import { TRIGGER_TIME } from './trigger-times.ts';

const CONTROLLER_NAME = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Addresses of a subset that are mirrored at most. */
const MAX_ADDRESSES = 1_000;

/** Mirrors Endpoints that a user created for a Service without a selector to EndpointSlices. */
export function addEndpointSliceMirroringController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'endpoint-slice-mirroring-controller');
  return manager
    .controller(Endpoints, 'endpointslicemirroring')
    .watches(Service, ({ metadata: { namespace = '', name = '' } }) => [{ namespace, name }])
    .watches(EndpointSlice, ({ metadata: { namespace = '', labels = {} } }) =>
      labels[MANAGED_BY] === CONTROLLER_NAME && labels[SERVICE_NAME] ? [{ namespace, name: labels[SERVICE_NAME] }] : [],
    )
    .reconcileRequests(async ({ namespace = '', name }, { client }) => {
      const endpoints = await client.find(Endpoints, { namespace, name });
      const service = await client.find(Service, { namespace, name });
      const slices = await client.list(EndpointSlice, {
        namespace,
        labelSelector: `${SERVICE_NAME}=${name},${MANAGED_BY}=${CONTROLLER_NAME}`,
      });
      const mirrored = endpoints && service && isMirrored(endpoints, service) ? endpoints : undefined;
      if (mirrored !== undefined) recordSkipped(record, mirrored);
      await writeSlices(client, mirrored, mirrored ? slicesOf(mirrored) : [], slices);
    });
}

function isMirrored({ metadata }: Endpoints, { spec }: Service): boolean {
  const { labels = {}, annotations = {} } = metadata;
  if (labels[SKIP] === 'true' || LEADER in annotations) return false;
  return spec?.selector === undefined;
}

type Content = Required<Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'>>;

function recordSkipped(record: RecordEvent, endpoints: Endpoints): void {
  const counts = (endpoints.subsets ?? []).map(
    ({ addresses = [], notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length,
  );
  const skipped = counts.reduce((sum, count) => sum + Math.max(count - MAX_ADDRESSES, 0), 0);
  if (skipped === 0) return;
  const message = `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
  record(Endpoints, endpoints, { type: 'Warning', reason: 'TooManyAddressesToMirror', message });
}

function slicesOf({ subsets = [] }: Endpoints): Content[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const endpoints = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ].slice(0, MAX_ADDRESSES);
    const mirrored = sortByHash(
      ports.map(
        ({ name = '', port, protocol = 'TCP', appProtocol }) =>
          ({ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }) as EndpointPort,
      ),
      slicePortText,
    );
    return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
      const ofType = endpoints.filter(({ addresses: [ip = ''] = [] }) => ip.includes(':') === (addressType === 'IPv6'));
      return ofType.length > 0 ? [{ addressType, endpoints: ofType, ports: mirrored }] : [];
    });
  });
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: { ip?: string; hostname?: string; nodeName?: string; targetRef?: object },
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip ?? ''],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}

/** Reuses a slice of the same address type, whose ports are no longer wanted, before it creates or deletes one. */
async function writeSlices(
  client: CachedClient,
  endpoints: Endpoints | undefined,
  wanted: readonly Content[],
  slices: readonly EndpointSlice[],
): Promise<void> {
  const free = [...slices];
  const take = (isFit: (slice: EndpointSlice) => boolean): EndpointSlice | undefined => {
    const index = free.findIndex(isFit);
    return index < 0 ? undefined : free.splice(index, 1)[0];
  };
  const kept = wanted.map((content) => ({
    content,
    slice: take(
      ({ addressType, ports = [] }) => addressType === content.addressType && deepEqual(ports, content.ports),
    ),
  }));
  for (const { content, slice } of kept) {
    if (slice !== undefined) await updateSlice(client, endpoints!, content, slice);
    else
      await createOrReuse(
        client,
        endpoints!,
        content,
        take(({ addressType }) => addressType === content.addressType),
      );
  }
  for (const slice of free) await client.delete(EndpointSlice, slice);
}

/** Replaces the whole slice, `generateName` included. */
async function updateSlice(
  client: CachedClient,
  endpoints: Endpoints,
  content: Content,
  slice: EndpointSlice,
): Promise<void> {
  const { namespace = '', name = '', resourceVersion = '', ...former } = slice.metadata;
  const next = mirroredMeta(endpoints);
  const isSame =
    deepEqual(slice.endpoints ?? [], content.endpoints) &&
    deepEqual(former.labels ?? {}, next.labels) &&
    deepEqual(former.annotations ?? {}, next.annotations) &&
    former.ownerReferences?.some(({ uid }) => uid === endpoints.metadata.uid);
  if (isSame) return;
  await client.update(EndpointSlice, { ...slice, ...content, metadata: { namespace, name, resourceVersion, ...next } });
}

async function createOrReuse(
  client: CachedClient,
  endpoints: Endpoints,
  content: Content,
  slice: EndpointSlice | undefined,
): Promise<void> {
  const { namespace = '', name = '' } = endpoints.metadata;
  const metadata = { namespace, generateName: `${name}-`, ...mirroredMeta(endpoints) };
  if (slice === undefined) await client.create(EndpointSlice, { metadata, ...content });
  else {
    const { name: reused = '', resourceVersion = '' } = slice.metadata;
    await client.update(EndpointSlice, {
      ...slice,
      ...content,
      metadata: { ...metadata, name: reused, resourceVersion },
    });
  }
}

/** Copies labels and annotations of the Endpoints, without the ones that controllers and kubectl maintain. */
function mirroredMeta(endpoints: Endpoints) {
  const { name = '', labels = {}, annotations = {} } = endpoints.metadata;
  const { [TRIGGER_TIME]: _time, [LAST_APPLIED]: _applied, ...keptAnnotations } = annotations;
  return {
    labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME },
    annotations: keptAnnotations,
    ownerReferences: [controllerRef(Endpoints, endpoints)],
  };
}
