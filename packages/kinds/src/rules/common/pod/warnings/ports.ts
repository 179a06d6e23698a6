import { type FieldPath, quote } from '@pintle/machinery/errors';
import type { ContainerPort } from '../../../../generated/core/v1.ts';
import type { ContainerAt } from '../containers.ts';

interface PortAt {
  readonly port: ContainerPort;
  readonly path: FieldPath;
  /** Among all ports of the Pod. */
  readonly index: number;
}

/** Containers of a Pod share its address, so their ports can get in each other's way. */
export function portWarnings(containers: readonly ContainerAt[]): string[] {
  const ports = containers
    .flatMap(({ container, path }) =>
      (container.ports ?? []).map((port, index) => ({ port, path: path.child('ports').index(index) })),
    )
    .map((port, index) => ({ ...port, index }));
  return [...hostWarnings(ports), ...repeatedNames(ports)];
}

/** Nobody reads more: of ports that are all the same, each would be told with each. */
const MAX_WARNINGS = 1_000;

function hostWarnings(ports: readonly PortAt[]): string[] {
  const earlier = new EarlierPorts();
  const warnings: string[] = [];
  for (const each of ports) {
    warnings.push(...lostAddress(each), ...clashes(each, earlier.inTheWayOf(each)));
    if (warnings.length > MAX_WARNINGS) break;
    earlier.add(each);
  }
  return warnings;
}

/** Ports by what they must share to be in each other's way, so that only those that are have to be looked at. */
class EarlierPorts {
  readonly #ports = new Map<string, PortAt[]>();

  add(each: PortAt): void {
    const { group, onHost, address } = placesOf(each);
    for (const place of [group, onHost, address]) {
      const ports = this.#ports.get(place);
      if (ports === undefined) this.#ports.set(place, [each]);
      else ports.push(each);
    }
  }

  /** In the order in which they were added. */
  inTheWayOf(each: PortAt): PortAt[] {
    const { group, onHost, address } = placesOf(each);
    const { hostPort = 0, hostIP = '' } = each.port;
    const onPort = hostIP === '' ? [onHost] : [`${onHost}/`, address];
    const places = hostPort === 0 ? [group] : [`${group}/0`, ...onPort];
    return places.flatMap((place) => this.#ports.get(place) ?? []).sort((a, b) => a.index - b.index);
  }
}

function placesOf({ port: { containerPort, protocol, hostPort = 0, hostIP = '' } }: PortAt) {
  const group = `${containerPort}/${protocol}`;
  return { group, onHost: `${group}/${hostPort}`, address: `${group}/${hostPort}/${hostIP}` };
}

/** An address of the host means nothing without a port there. The port is shown as Go shows its inner form. */
function lostAddress({ port, path }: PortAt): string[] {
  const { name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' } = port;
  if (hostIP === '' || hostPort !== 0) return [];
  const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
  return [`${path}: hostIP set without hostPort: ${shown}`];
}

function clashes({ port, path }: PortAt, same: readonly PortAt[]): string[] {
  return same.flatMap((other) => {
    const kind = clashOf(port, other.port);
    return kind === undefined ? [] : [`${path}: ${kind} port definition with ${other.path}`];
  });
}

function clashOf(port: ContainerPort, other: ContainerPort): string | undefined {
  const [address = '', otherAddress = ''] = [port.hostIP, other.hostIP];
  const [hostPort = 0, otherHostPort = 0] = [port.hostPort, other.hostPort];
  if (address === otherAddress && hostPort === otherHostPort) return 'duplicate';
  if (hostPort === 0 || otherHostPort === 0) return 'overlapping';
  const oneIsOpen = (address === '') !== (otherAddress === '');
  return hostPort === otherHostPort && oneIsOpen ? 'dangerously ambiguous' : undefined;
}

function repeatedNames(ports: readonly PortAt[]): string[] {
  const first = new Map<string, FieldPath>();
  return ports.flatMap(({ port: { name }, path }) => {
    if (!name) return [];
    const other = first.get(name);
    if (other !== undefined)
      return [
        `${path}: duplicate port name ${quote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      ];
    first.set(name, path);
    return [];
  });
}
