import { Turns } from '@pintle/async';
import type { EndpointAddress, EndpointPort, EndpointSubset } from '@pintle/kinds/core/v1';
import { Endpoints, Pod, Service } from '@pintle/kinds/core/v1';
import { asJson, canonicalJson, deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { isTerminatingNamespace } from '../common/pod-control.ts';
import { isReady } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { servicesOf } from './endpoint-slice-controller.ts';
import { endpointsPortText, sortByHash } from './port-order.ts';
import { isAddressable, isPodEndpointChanged, podAddress, podsOf } from './service-pods.ts';
import { type ResolvedPort, ServicePorts } from './service-ports.ts';
import { TriggerTimes, withTriggerTime } from './trigger-times.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const CONTROLLER_NAME = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const MAX_ADDRESSES = 1_000;

/** Maintains the Endpoints of each Service: the older API, with one object for all addresses. */
export function addEndpointsController(manager: Manager): Controller {
  const times = new TriggerTimes();
  const record = eventRecorder(manager, CONTROLLER_NAME);
  return manager
    .controller(Service, 'endpoint')
    .options({ concurrency: 5 })
    .watches(Pod, (pod) => servicesOf(manager, pod), isPodEndpointChanged)
    .watches(
      Endpoints,
      ({ metadata: { namespace = '', name = '' } }) => [{ namespace, name }],
      (change) => change.type === 'deleted' || (change.type === 'added' && isLeftover(change)),
    )
    .filter(({ type, object }) => {
      if (type === 'deleted') times.forget(object);
      return true;
    })
    .reconcileRequests(async ({ namespace = '', name }, { client, clock }) => {
      const service = await client.find(Service, { namespace, name });
      const found = await client.find(Endpoints, { namespace, name });
      if (service === undefined) {
        // Endpoints are deleted with their Service, whichever client created them.
        if (found !== undefined) await client.delete(Endpoints, found);
        return;
      }
      if (
        service.spec?.selector === undefined ||
        service.spec.type === 'ExternalName' ||
        service.metadata.deletionTimestamp
      )
        return;
      const pods = await podsOf(clock, service, await client.list(Pod, { namespace }));
      const time = times.next(service, pods);
      const { subsets, isOver } = await subsetsOf(service, pods.filter(isAddressable), new Turns(clock));
      const { [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
      const labels = {
        ...own,
        ...(service.spec.clusterIP === 'None' && { [HEADLESS]: '' }),
        [MANAGED_BY]: CONTROLLER_NAME,
      };
      const { [OVER_CAPACITY]: _, ...kept } = found?.metadata.annotations ?? {};
      const annotations = { ...withTriggerTime(kept, time), ...(isOver && { [OVER_CAPACITY]: 'truncated' }) };
      const metadata = { ...found?.metadata, namespace, name, labels, annotations };
      const next = { ...found, metadata, ...((found || subsets.length > 0) && { subsets }) };
      try {
        if (found === undefined) await client.create(Endpoints, next);
        else if (!deepEqual(found.subsets ?? [], subsets) || !deepEqual(found.metadata.labels ?? {}, labels))
          await client.update(Endpoints, next);
      } catch (error) {
        if (found === undefined && isTerminatingNamespace(error)) return;
        // An object that was never created has no namespace, and neither has the event about it, as in Kubernetes.
        const { namespace: _namespace, ...unmade } = metadata;
        const about = { apiVersion: 'v1', kind: 'Endpoints', ...next, ...(!found && { metadata: unmade }) };
        record(Endpoints, about, failure(next, found !== undefined, error));
        throw error;
      }
    });
}

function failure({ metadata: { namespace, name } }: Pick<Endpoints, 'metadata'>, isKnown: boolean, error: unknown) {
  const [reason, what] = isKnown ? ['FailedToUpdateEndpoint', 'update'] : ['FailedToCreateEndpoint', 'create'];
  const why = error instanceof Error ? error.message : String(error);
  const whose = `${isKnown ? '' : 'for service '}${namespace}/${name}`;
  return { type: 'Warning' as const, reason, message: `Failed to ${what} endpoint ${whose}: ${why}` };
}

/**
 * True when Endpoints existed before this controller started, and may have lost their Service meanwhile. Leader
 * election locks never had one.
 */
function isLeftover({ object, isInitial }: { readonly object: Endpoints; readonly isInitial: boolean }): boolean {
  return isInitial && object.metadata.annotations?.[LEADER] === undefined;
}

async function subsetsOf(
  service: Service,
  pods: readonly Pod[],
  turns: Turns,
): Promise<{ readonly subsets: EndpointSubset[]; readonly isOver: boolean }> {
  const servicePorts = new ServicePorts(service);
  const groups = new Map<readonly ResolvedPort[], PodGroup>();
  let isOver = pods.length > MAX_ADDRESSES;
  for (const [order, pod] of pods.slice(0, MAX_ADDRESSES).entries()) {
    if (pod.metadata.deletionTimestamp && !service.spec?.publishNotReadyAddresses) continue;
    const address = addressOf(service, pod);
    if (address === undefined) continue;
    const isUp = isReady(pod) || service.spec?.publishNotReadyAddresses === true;
    const ports = servicePorts.at(pod);
    if (ports === undefined) {
      isOver = true;
      continue;
    }
    const group = groups.get(ports) ?? { index: groups.size, ports, addresses: [] };
    groups.set(ports, group);
    group.addresses.push({ order, address, isUp });
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const portGroups = service.spec?.ports?.length
    ? await portGroupsOf([...groups.values()], turns)
    : addressesWithoutPorts(groups);
  return await repackSubsets(portGroups, isOver, turns);
}

/** Addresses that are written at most, in all subsets. An object with more is larger than the store takes. */
const MAX_WRITTEN_ADDRESSES = 50_000;

async function repackSubsets(
  portGroups: readonly PortGroup[],
  isOver: boolean,
  turns: Turns,
): Promise<{ readonly subsets: EndpointSubset[]; readonly isOver: boolean }> {
  const found: { readonly key: string; readonly subset: EndpointSubset }[] = [];
  let written = 0;
  for (const { groups, ports } of portGroups) {
    const addresses = groups.flatMap((group) => group.addresses).sort((a, b) => a.order - b.order);
    written += addresses.length;
    if (written > MAX_WRITTEN_ADDRESSES)
      return { subsets: found.sort(byKey).map(({ subset }) => subset), isOver: true };
    const key = canonicalJson(asJson(addresses.map(({ address, isUp }) => ({ address, isUp }))));
    found.push({ key, subset: subsetOf(ports, addresses) });
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return { subsets: found.sort(byKey).map(({ subset }) => subset), isOver };
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

interface PodAddress {
  /** Position among the addresses of all pods. */
  readonly order: number;
  readonly address: EndpointAddress;
  readonly isUp: boolean;
}

/** Pods that have the same numbers for all ports of a Service. */
interface PodGroup {
  readonly index: number;
  readonly ports: readonly ResolvedPort[];
  readonly addresses: PodAddress[];
}

/** Ports that are open at the same addresses, and the pods that have them. */
interface PortGroup {
  readonly groups: readonly PodGroup[];
  readonly ports: EndpointPort[];
}

/** Returns addresses without ports. */
function addressesWithoutPorts(groups: ReadonlyMap<unknown, PodGroup>): PortGroup[] {
  return groups.size > 0 ? [{ groups: [...groups.values()], ports: [] }] : [];
}

/** Groups ports that are open at the same addresses. A pod that has none of the Service's ports is left out. */
async function portGroupsOf(groups: readonly PodGroup[], turns: Turns): Promise<PortGroup[]> {
  const portsByKey = new Map<string, { readonly port: EndpointPort; readonly groups: PodGroup[] }>();
  const everywhere: EndpointPort[] = [];
  for (const group of groups) {
    for (const [index, resolved] of group.ports.entries()) {
      if (!resolved.isNamed) {
        if (group.index === 0) everywhere.push(endpointPortOf(resolved));
        continue;
      }
      const key = canonicalJson(asJson(endpointPortOf(resolved)));
      const portGroup = portsByKey.get(key) ?? { port: endpointPortOf(resolved), groups: [] };
      portsByKey.set(key, portGroup);
      portGroup.groups.push(group);
      if (index % PORTS_PER_YIELD > 0) continue;
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }
  const byAddresses = new Map<string, PortGroup>();
  if (everywhere.length > 0) byAddresses.set(keyOf(groups), { groups, ports: everywhere });
  for (const { port, groups: those } of portsByKey.values()) {
    const portGroup = byAddresses.get(keyOf(those));
    if (portGroup === undefined) byAddresses.set(keyOf(those), { groups: those, ports: [port] });
    else portGroup.ports.push(port);
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return [...byAddresses.values()];
}

const PORTS_PER_YIELD = 100;

function keyOf(groups: readonly PodGroup[]): string {
  return groups.map(({ index }) => index).join();
}

function endpointPortOf({ port: { name, protocol = 'TCP', appProtocol }, number }: ResolvedPort): EndpointPort {
  return {
    ...(name && { name }),
    port: number,
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
  } as EndpointPort;
}

function subsetOf(ports: readonly EndpointPort[], addresses: readonly PodAddress[]): EndpointSubset {
  const [up, down] = [true, false].map((isUp) =>
    addresses.filter((each) => each.isUp === isUp).map((each) => each.address),
  );
  return {
    ...(up!.length > 0 && { addresses: sorted(up!) }),
    ...(down!.length > 0 && { notReadyAddresses: sorted(down!) }),
    ...(ports.length > 0 && { ports: sortByHash(ports, endpointsPortText) }),
  };
}

function sorted(addresses: readonly EndpointAddress[]): EndpointAddress[] {
  return [...addresses].sort((a, b) => ((a.ip ?? '') < (b.ip ?? '') ? -1 : 1));
}

/** Returns `undefined` when the pod has no address in the Service's first IP family. */
function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const { metadata, spec } = pod;
  const { namespace = '', name = '', uid = '' } = metadata;
  const ip = podAddress(pod, service.spec?.ipFamilies?.[0] ?? 'IPv4');
  if (ip === undefined) return undefined;
  const hostname = spec?.hostname && spec.subdomain === service.metadata.name ? spec.hostname : undefined;
  return {
    ip,
    ...(hostname && { hostname }),
    // Set even without a node, which the server then refuses, as in Kubernetes.
    nodeName: spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}
