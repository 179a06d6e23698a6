import type { EndpointAddress, EndpointPort, EndpointSubset } from '@pintle/kinds/core/v1';
import { Endpoints, Pod, Service } from '@pintle/kinds/core/v1';
import { asJson, canonicalJson, deepEqual, type JsonValue } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { isTerminatingNamespace } from '../common/pod-control.ts';
import { isReady } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { servicesOf } from './endpoint-slice-controller.ts';
import { endpointsPortText, inOrderOfHash } from './port-order.ts';
import { isAddressable, isPodMoved, podAddress, podsOf, targetPort } from './service-pods.ts';
import { TriggerTimes, withTriggerTime } from './trigger-times.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const US = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const MAX_ADDRESSES = 1_000;

/** What stands behind each service in the older form, one object for all. */
export function addEndpointsController(manager: Manager): Controller {
  const times = new TriggerTimes();
  const record = eventRecorder(manager, US);
  return manager
    .controller(Service, 'endpoint')
    .options({ concurrency: 5 })
    .watches(Pod, (pod) => servicesOf(manager, pod), isPodMoved)
    .watches(
      Endpoints,
      ({ metadata: { namespace = '', name = '' } }) => [{ namespace, name }],
      (change) => change.type === 'deleted' || (change.type === 'added' && isLeftover(change)),
    )
    .filter(({ type, object }) => {
      if (type === 'deleted') times.forget(object);
      return true;
    })
    .reconcileRequests(async ({ namespace = '', name }, { client }) => {
      const service = await client.find(Service, { namespace, name });
      const found = await client.find(Endpoints, { namespace, name });
      if (service === undefined) {
        // They go with the service, whoever made them.
        if (found !== undefined) await client.delete(Endpoints, found);
        return;
      }
      if (
        service.spec?.selector === undefined ||
        service.spec.type === 'ExternalName' ||
        service.metadata.deletionTimestamp
      )
        return;
      const pods = podsOf(service, await client.list(Pod, { namespace }));
      const time = times.next(service, pods);
      const { subsets, isOver } = subsetsOf(service, pods.filter(isAddressable));
      const { [HEADLESS]: _headless, ...own } = service.metadata.labels ?? {};
      const labels = {
        ...own,
        ...(service.spec.clusterIP === 'None' && { [HEADLESS]: '' }),
        [MANAGED_BY]: US,
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
        // What was never made is in no namespace, and neither is what is told of it.
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

/** Whether endpoints were there before us, and may have lost their service meanwhile. Leases never had one. */
function isLeftover({ object, isInitial }: { readonly object: Endpoints; readonly isInitial: boolean }): boolean {
  return isInitial && object.metadata.annotations?.[LEADER] === undefined;
}

function subsetsOf(
  service: Service,
  pods: readonly Pod[],
): { readonly subsets: EndpointSubset[]; readonly isOver: boolean } {
  const offers = new Map<string, Offer>();
  for (const pod of pods.slice(0, MAX_ADDRESSES)) {
    if (pod.metadata.deletionTimestamp && !service.spec?.publishNotReadyAddresses) continue;
    const address = addressOf(service, pod);
    if (address === undefined) continue;
    const isUp = isReady(pod) || service.spec?.publishNotReadyAddresses === true;
    for (const port of offeredPorts(service, pod)) {
      const key = canonicalJson((port ?? null) as JsonValue);
      const offer = offers.get(key) ?? { port, addresses: [] };
      offers.set(key, offer);
      offer.addresses.push({ address, isUp });
    }
  }
  const subsets = [...sameAddresses(offers.values())]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, addresses }]) => subsetOf(ports, addresses));
  return { subsets, isOver: pods.length > MAX_ADDRESSES };
}

/** Where a port is offered. No port: all that is offered are addresses. */
interface Offer {
  readonly port: EndpointPort | undefined;
  readonly addresses: { readonly address: EndpointAddress; readonly isUp: boolean }[];
}

/** A pod that offers none of a service's ports stands behind none of them. */
function offeredPorts(service: Service, pod: Pod): readonly (EndpointPort | undefined)[] {
  return service.spec?.ports?.length ? portsOf(service, pod) : [undefined];
}

/** Ports that are offered at the same addresses go together. */
function sameAddresses(
  offers: Iterable<Offer>,
): Map<string, { ports: EndpointPort[]; readonly addresses: Offer['addresses'] }> {
  const found = new Map<string, { ports: EndpointPort[]; addresses: Offer['addresses'] }>();
  for (const { port, addresses } of offers) {
    const key = canonicalJson(asJson(addresses));
    const group = found.get(key) ?? { ports: [], addresses };
    found.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  return found;
}

function subsetOf(ports: readonly EndpointPort[], addresses: Offer['addresses']): EndpointSubset {
  const [up, down] = [true, false].map((isUp) =>
    addresses.filter((each) => each.isUp === isUp).map((each) => each.address),
  );
  return {
    ...(up!.length > 0 && { addresses: sorted(up!) }),
    ...(down!.length > 0 && { notReadyAddresses: sorted(down!) }),
    ...(ports.length > 0 && { ports: inOrderOfHash(ports, endpointsPortText) }),
  };
}

function sorted(addresses: readonly EndpointAddress[]): EndpointAddress[] {
  return [...addresses].sort((a, b) => ((a.ip ?? '') < (b.ip ?? '') ? -1 : 1));
}

function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const { name, protocol = 'TCP', appProtocol } = port;
    return [
      {
        ...(name && { name }),
        port: number,
        protocol,
        ...(appProtocol !== undefined && { appProtocol }),
      } as EndpointPort,
    ];
  });
}

/** `undefined` of a pod that cannot be reached in the first family of its service. */
function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const { metadata, spec } = pod;
  const { namespace = '', name = '', uid = '' } = metadata;
  const ip = podAddress(pod, service.spec?.ipFamilies?.[0] ?? 'IPv4');
  if (ip === undefined) return undefined;
  const hostname = spec?.hostname && spec.subdomain === service.metadata.name ? spec.hostname : undefined;
  return {
    ip,
    ...(hostname && { hostname }),
    // Without a node too, which the server then refuses: the older form is of pods that run somewhere.
    nodeName: spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}
