import { type FieldPath, quote } from '@pintle/machinery/errors';
import type { ContainerPort } from '../../../../generated/core/v1.ts';
import type { ContainerAt } from '../containers.ts';

interface PortAt {
  readonly port: ContainerPort;
  readonly path: FieldPath;
  /** Index among all ports of the Pod. */
  readonly index: number;
}

/** Warns about ports that conflict: containers of a Pod share its address. */
export function portWarnings(containers: readonly ContainerAt[]): string[] {
  const ports = containers
    .flatMap(({ container, path }) =>
      (container.ports ?? []).map((port, index) => ({ port, path: path.child('ports').index(index) })),
    )
    .map((port, index) => ({ ...port, index }));
  return [...hostWarnings(ports), ...repeatedNames(ports)];
}

/** Most warnings: equal ports would be reported in pairs. */
const MAX_WARNINGS = 1_000;

function hostWarnings(ports: readonly PortAt[]): string[] {
  const earlier = new EarlierPorts();
  const warnings: string[] = [];
  for (const each of ports) {
    warnings.push(...lostAddress(each), ...clashes(each, earlier.conflictingWith(each)));
    if (warnings.length > MAX_WARNINGS) break;
    earlier.add(each);
  }
  return warnings;
}

/** Earlier ports, by the values that they must share to conflict, so that only candidates are compared. */
class EarlierPorts {
  readonly #ports = new Map<string, PortAt[]>();

  add(each: PortAt): void {
    const { group, onHost, address } = keysOf(each);
    for (const key of [group, onHost, address]) {
      const ports = this.#ports.get(key);
      if (ports === undefined) this.#ports.set(key, [each]);
      else ports.push(each);
    }
  }

  /** Returns them in the order in which they were added. */
  conflictingWith(each: PortAt): PortAt[] {
    const { group, onHost, address } = keysOf(each);
    const { hostPort = 0, hostIP = '' } = each.port;
    const onPort = hostIP === '' ? [onHost] : [`${onHost}/`, address];
    const keys = hostPort === 0 ? [group] : [`${group}/0`, ...onPort];
    return keys.flatMap((key) => this.#ports.get(key) ?? []).sort((a, b) => a.index - b.index);
  }
}

function keysOf({ port: { containerPort, protocol, hostPort = 0, hostIP = '' } }: PortAt) {
  const group = `${containerPort}/${protocol}`;
  return { group, onHost: `${group}/${hostPort}`, address: `${group}/${hostPort}/${hostIP}` };
}

/** A host IP has no effect without a host port. The port is printed as Go's internal type. */
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
