import { Turns } from '@pintle/async';
import { type CachedClient, ExponentialLimiter } from '@pintle/client';
import { Node, Pod, Service } from '@pintle/kinds/core/v1';
import { type Endpoint, type EndpointPort, EndpointSlice } from '@pintle/kinds/discovery/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { asJson, canonicalJson, deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { filterInTurns } from '../common/filter-in-turns.ts';
import { isNodeReady } from '../common/nodes.ts';
import { controllerRef, requestsFor } from '../common/owners.ts';
import { isReady } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { labelsSelectorOf } from '../common/selectors.ts';
import { slicePortText, sortByHash } from './port-order.ts';
import { isAddressable, isPodEndpointChanged, podAddress, podsOf } from './service-pods.ts';
import { type ResolvedPort, ServicePorts } from './service-ports.ts';
import { TriggerTimes, withTriggerTime } from './trigger-times.ts';
import { hintByZones, ZONE, zoneShares } from './zone-hints.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const CONTROLLER_NAME = 'endpointslice-controller.k8s.io';
const MAX_ENDPOINTS = 100;
/** Delay before the first retry; it doubles each time. */
const RETRY_MS = 1000;
const PREFER_CLOSE: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

/** Maintains the EndpointSlices of each Service, of at most 100 endpoints each. */
export function addEndpointSliceController(manager: Manager): Controller {
  const times = new TriggerTimes();
  const record = eventRecorder(manager, 'endpoint-slice-controller');
  /** Keys of the Services whose endpoints have zone hints. */
  const hintedServices = new Set<string>();
  return manager
    .controller(Service, 'endpointslice')
    .options({ concurrency: 5, limiter: new ExponentialLimiter({ baseMs: RETRY_MS }) })
    .watches(Pod, (pod) => servicesOf(manager, pod), isPodEndpointChanged)
    .watches(EndpointSlice, ({ metadata: { namespace = '', labels = {} } }) =>
      labels[MANAGED_BY] === CONTROLLER_NAME && labels[SERVICE_NAME] ? [{ namespace, name: labels[SERVICE_NAME] }] : [],
    )
    .watches(
      Node,
      () => [...hintedServices].map((key) => ({ namespace: key.split('/')[0]!, name: key.split('/')[1]! })),
      (change) =>
        change.type !== 'updated' ||
        zoneOf(change.object) !== zoneOf(change.previous) ||
        isNodeReady(change.object) !== isNodeReady(change.previous),
    )
    .filter(({ type, object }) => {
      if (object.spec?.selector !== undefined) labelsSelectorOf(object.spec.selector);
      if (type === 'deleted') {
        times.forget(object);
        hintedServices.delete(`${object.metadata.namespace}/${object.metadata.name}`);
      }
      return true;
    })
    .reconcile(async (service, { client, clock }) => {
      if (
        service.spec?.selector === undefined ||
        service.spec.type === 'ExternalName' ||
        service.metadata.deletionTimestamp
      )
        return;
      const { namespace = '', name = '' } = service.metadata;
      const pods = await podsOf(clock, service, await client.list(Pod, { namespace }));
      const time = times.next(service, pods);
      const slices = await client.list(EndpointSlice, {
        namespace,
        labelSelector: `${SERVICE_NAME}=${name},${MANAGED_BY}=${CONTROLLER_NAME}`,
      });
      const families: readonly string[] = service.spec.ipFamilies ?? ['IPv4'];
      const missingNodes = new Set<string>();
      const turns = new Turns(clock);
      for (const family of families) {
        const wanted = await groupsOf({ client, service, missingNodes, turns }, pods.filter(isAddressable), family);
        const found = slices.filter(({ addressType }) => addressType === family);
        const recordEvent = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
          record(Service, service, { type, reason, message: `${message}, addressType: ${family}` });
        const drafts = await withZoneHints(
          { client, service, hintedServices, recordEvent },
          await draftSlices(wanted, found, turns),
        );
        await writeSlices({ client, service, family, time, turns }, drafts, found);
      }
      for (const slice of slices)
        if (!families.includes(slice.addressType ?? '')) await client.delete(EndpointSlice, slice);
      if (missingNodes.size === 0) return;
      const why = missingNodes.size === 1 ? [...missingNodes][0]! : `[${[...missingNodes].join(', ')}]`;
      const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${why}`;
      record(Service, service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', message });
      throw new Error(why);
    });
}

interface Group {
  readonly ports: EndpointPort[];
  readonly endpoints: Endpoint[];
}

interface GroupContext {
  readonly client: CachedClient;
  readonly service: Service;
  /** Messages about pods whose nodes do not exist. */
  readonly missingNodes: Set<string>;
  readonly turns: Turns;
}

/** Groups pods by their ports, because an EndpointSlice has one list of ports. */
async function groupsOf(context: GroupContext, pods: readonly Pod[], family: string): Promise<Group[]> {
  const { client, service, missingNodes, turns } = context;
  const servicePorts = new ServicePorts(service);
  const groups = new Map<readonly ResolvedPort[], Group>();
  for (const pod of pods) {
    const nodeName = pod.spec?.nodeName;
    const node = nodeName ? await client.find(Node, { name: nodeName }) : undefined;
    // A pod whose node is gone does not serve, unless the Service publishes all addresses.
    if (node === undefined && !service.spec?.publishNotReadyAddresses) {
      missingNodes.add(missingNodeMessage(service, pod));
      continue;
    }
    const address = podAddress(pod, family);
    if (address === undefined) continue;
    const endpoint = endpointOf(service, pod, node, address);
    const resolved = servicePorts.at(pod);
    if (resolved === undefined) continue;
    const group = groups.get(resolved) ?? { ports: portsOf(resolved), endpoints: [] };
    groups.set(resolved, group);
    group.endpoints.push(endpoint);
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return [...groups.values()];
}

function missingNodeMessage({ metadata }: Service, pod: Pod): string {
  const whose = `Pod ${pod.metadata.name} for Service ${metadata.namespace}/${metadata.name}`;
  return `skipping ${whose}: Node ${pod.spec?.nodeName ?? ''} Not Found`;
}

function portsOf(resolved: readonly ResolvedPort[]): EndpointPort[] {
  const ports = resolved.map(({ port: { name = '', protocol = 'TCP', appProtocol }, number }) => {
    return { name, protocol, port: number, ...(appProtocol !== undefined && { appProtocol }) } as EndpointPort;
  });
  return sortByHash(ports, slicePortText);
}

function endpointOf(service: Service, pod: Pod, node: Node | undefined, address: string): Endpoint {
  const { name = '', namespace = '', uid = '', deletionTimestamp } = pod.metadata;
  const isServing = isReady(pod);
  const isTerminating = deletionTimestamp !== undefined;
  const isPublished = service.spec?.publishNotReadyAddresses === true;
  const nodeName = pod.spec?.nodeName;
  const zone = node && zoneOf(node);
  const hostname = pod.spec?.hostname && pod.spec.subdomain === service.metadata.name ? pod.spec.hostname : undefined;
  const ready = isPublished || (isServing && !isTerminating);
  const hints = ready ? hintsOf(service, zone, nodeName) : undefined;
  return {
    addresses: [address],
    conditions: { ready, serving: isServing, terminating: isTerminating },
    ...(hints && { hints }),
    ...(hostname && { hostname }),
    ...(nodeName && { nodeName }),
    ...(zone && { zone }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

/** Returns hints for the endpoint's zone, and for its node too, when the Service prefers close endpoints. */
function hintsOf(
  { metadata, spec }: Service,
  zone: string | undefined,
  nodeName: string | undefined,
): Endpoint['hints'] | undefined {
  const { trafficDistribution = '' } = spec ?? {};
  if (!PREFER_CLOSE.has(trafficDistribution) || wantsZoneHints(metadata.annotations)) return undefined;
  const isNodeWanted = trafficDistribution === 'PreferSameNode' && nodeName;
  if (!zone && !isNodeWanted) return undefined;
  return {
    ...(zone && { forZones: [{ name: zone }] }),
    ...(isNodeWanted && { forNodes: [{ name: nodeName }] }),
  };
}

/** Reads the older annotation, which takes precedence over `spec.trafficDistribution`. */
function wantsZoneHints(annotations: Readonly<Record<string, string>> = {}): boolean {
  const mode = annotations[TOPOLOGY_HINTS] ?? annotations[TOPOLOGY_MODE];
  return mode === 'Auto' || mode === 'auto';
}

function zoneOf({ metadata }: Node): string | undefined {
  return metadata.labels?.[ZONE];
}

interface SliceSync {
  readonly client: CachedClient;
  readonly service: Service;
  readonly family: string;
  /** Time of the event that caused the change. */
  readonly time: string | undefined;
  readonly turns: Turns;
}

/** Content of a slice, and the existing slice that gets it. */
interface Draft extends Group {
  readonly slice: EndpointSlice | undefined;
}

/** Assigns each part of a group the first free slice that has its ports, or else the first free slice. */
async function draftSlices(groups: readonly Group[], slices: readonly EndpointSlice[], turns: Turns): Promise<Draft[]> {
  const free = new Set(slices);
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of slices.toReversed()) {
    const key = canonicalJson(asJson(slice.ports ?? []));
    const others = byPorts.get(key);
    if (others === undefined) byPorts.set(key, [slice]);
    else others.push(slice);
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const drafts: Draft[] = [];
  for (const group of groups.length > 0 ? groups : [{ ports: [], endpoints: [] }]) {
    const fitting = byPorts.get(canonicalJson(asJson(group.ports))) ?? [];
    for (const part of group.endpoints.length > 0 ? chunked(group) : [group]) {
      let slice = fitting.pop();
      while (slice !== undefined && !free.has(slice)) slice = fitting.pop();
      slice ??= free.values().next().value;
      if (slice !== undefined) free.delete(slice);
      drafts.push({ ...part, slice });
    }
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return drafts;
}

interface HintContext {
  readonly client: CachedClient;
  readonly service: Service;
  readonly hintedServices: Set<string>;
  readonly recordEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/**
 * Distributes endpoints of Services that ask for it among zones, in proportion to their CPUs, and records events when
 * that starts or stops.
 */
async function withZoneHints(
  { client, service, hintedServices, recordEvent }: HintContext,
  drafts: readonly Draft[],
): Promise<Draft[]> {
  const key = `${service.metadata.namespace}/${service.metadata.name}`;
  if (!wantsZoneHints(service.metadata.annotations)) {
    if (hintedServices.delete(key))
      recordEvent('Warning', 'TopologyAwareHintsDisabled', 'Topology Aware Hints has been disabled');
    return [...drafts];
  }
  const parts = drafts.map(({ endpoints, slice }) => ({ endpoints, former: slice?.endpoints }));
  const hints = hintByZones(parts, zoneShares(await client.list(Node)));
  if ('problem' in hints) {
    hintedServices.delete(key);
    recordEvent('Warning', 'TopologyAwareHintsDisabled', hints.problem);
    return [...drafts];
  }
  if (!hintedServices.has(key))
    recordEvent('Normal', 'TopologyAwareHintsEnabled', 'Topology Aware Hints has been enabled');
  hintedServices.add(key);
  return drafts.map((draft, index) => ({ ...draft, endpoints: [...hints.endpoints[index]!] }));
}

async function writeSlices(sync: SliceSync, drafts: readonly Draft[], slices: readonly EndpointSlice[]): Promise<void> {
  const { client, service, family, turns } = sync;
  const labels = labelsOf(service);
  for (const { ports, endpoints, slice } of drafts) {
    const content = { addressType: family as 'IPv4', endpoints, ports };
    if (slice === undefined) await create(sync, labels, content);
    else await updateSlice(sync, slice, labels, content);
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const kept = new Set(drafts.map(({ slice }) => slice));
  for (const slice of slices) if (!kept.has(slice)) await client.delete(EndpointSlice, slice);
}

function* chunked({ ports, endpoints }: Group): Iterable<Group> {
  for (let start = 0; start < endpoints.length; start += MAX_ENDPOINTS)
    yield { ports, endpoints: endpoints.slice(start, start + MAX_ENDPOINTS) };
}

type Content = Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'>;

async function create(
  { client, service, time }: SliceSync,
  labels: Record<string, string>,
  content: Content,
): Promise<void> {
  const { namespace = '', name = '' } = service.metadata;
  const annotations = withTriggerTime(undefined, time);
  const ownerReferences = [controllerRef(Service, service)];
  const metadata = { namespace, generateName: `${name}-`, labels, annotations, ownerReferences };
  await client.create(EndpointSlice, { metadata, ...content } as EndpointSlice);
}

async function updateSlice(
  { client, time }: SliceSync,
  slice: EndpointSlice,
  labels: Record<string, string>,
  content: Content,
): Promise<void> {
  const isSame =
    deepEqual(slice.endpoints ?? [], content.endpoints ?? []) &&
    deepEqual(slice.ports ?? [], content.ports ?? []) &&
    deepEqual(slice.metadata.labels ?? {}, labels);
  if (isSame) return;
  const metadata = { ...slice.metadata, labels, annotations: withTriggerTime(slice.metadata.annotations, time) };
  await client.update(EndpointSlice, { ...slice, ...content, metadata });
}

function labelsOf({ metadata, spec }: Service): Record<string, string> {
  const own = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([name]) => !own.has(name)));
  const isHeadless = spec?.clusterIP === 'None';
  return {
    ...labels,
    ...(isHeadless && { [HEADLESS]: '' }),
    [SERVICE_NAME]: metadata.name ?? '',
    [MANAGED_BY]: CONTROLLER_NAME,
  };
}

export function servicesOf(
  { informers, clock }: Pick<Manager, 'informers' | 'clock'>,
  { metadata: { namespace = '', labels = {} } }: KubernetesObject,
): ReturnType<typeof requestsFor> {
  const services = informers.find(Service)?.cache.list({ namespace }) ?? [];
  const selects = ({ spec }: (typeof services)[number]): boolean => {
    const selector = labelsSelectorOf(spec?.selector ?? {});
    return !selector.isEmpty && selector.matches(labels);
  };
  return requestsFor(filterInTurns(clock, services, selects));
}
