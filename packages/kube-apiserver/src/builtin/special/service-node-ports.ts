import type { EndpointDependencies } from '@pintle/apiserver/resource';
import { collectionRange, decodeObject, scanRecords } from '@pintle/apiserver/storage';
import type { Service, ServicePort, ServiceSpec } from '@pintle/kinds/core/v1';
import { FieldPath, internalError, invalid, invalidError, unclassifiedError } from '@pintle/machinery/errors';
import type { Operation, Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import {
  adoptNodePorts,
  NODE_PORT_RANGE,
  NODE_PORTS,
  type NodePortLedger,
  nodePortLedger,
} from './node-port-ledger.ts';
import { chooseFree } from './service-ranges.ts';

const portsPath = FieldPath.of('spec', 'ports');

/**
 * Fills in node ports that the service leaves to the server; returns the operations that claim and release node ports.
 */
export async function allocateNodePorts(
  dependencies: EndpointDependencies,
  next: Service | undefined,
  previous: Service | undefined,
  isDryRun: boolean,
): Promise<Operation[]> {
  const held = nodePortsOf(previous?.spec);
  const claims = new NodePortClaims(dependencies, held, isDryRun);
  if (next?.spec !== undefined && usesNodePorts(next.spec)) {
    await (previous === undefined ? fillPorts : changePorts)(next, claims);
    if (!isRequestedForHealth(previous)) await fillHealthCheckPort(next, claims);
  }
  const kept = nodePortsOf(next?.spec);
  const released = [...held].filter((port) => !kept.has(port));
  return await claims.operations(next ?? previous, released);
}

/**
 * Claims the node ports of services that have no claim, because another program has written them. A port that two services have
 * belongs to the first.
 */
export async function claimStoredNodePorts(store: Store): Promise<void> {
  for (;;) {
    try {
      await adoptNodePorts(store, await storedNodePorts(store));
      // A migration or a backup has brought the claims of servers that shared a store.
      if (!store.isShared) await store.commit([{ type: 'delete', key: NODE_PORT_RANGE }]);
      return;
    } catch (error) {
      // Another server has claimed one meanwhile.
      if (!(error instanceof StoreError) || error.failure.code !== 'Conflict') throw error;
    }
  }
}

/** Returns the services by their node ports. */
async function storedNodePorts(store: Store): Promise<Map<number, string>> {
  const holders = new Map<number, string>();
  for await (const record of scanRecords(store, collectionRange({ group: '', resource: 'services' }, ''))) {
    const service = decodeObject(record, 'Service') as Service;
    for (const port of nodePortsOf(service.spec)) if (!holders.has(port)) holders.set(port, nameOf(service));
  }
  return holders;
}

function nameOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function usesNodePorts({ type }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function nodePortsOf(spec: ServiceSpec | undefined): ReadonlySet<number> {
  const ports = (spec?.ports ?? []).map(({ nodePort }) => nodePort);
  return new Set([...ports, spec?.healthCheckNodePort].filter((port): port is number => Boolean(port)));
}

/** Gives ports of the same number, such as TCP and UDP, the same node port unless they request different ones. */
async function fillPorts(service: Service, claims: NodePortClaims): Promise<void> {
  const ports = service.spec?.ports ?? [];
  const byNumber = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    if (!port.nodePort && !isAutomatic(service)) continue;
    const shared = byNumber.get(port.port);
    if (shared === undefined) {
      const asked = requestedNodePort(ports, port.port);
      if (asked) await claimRequested(service, claims, asked, index);
      port.nodePort = asked || (await claims.takeAny());
      byNumber.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) await claimRequested(service, claims, port.nodePort, index);
  }
}

/** Updates an existing service: each port gets the node port it requests, or its own; ports do not share by default. */
async function changePorts(service: Service, claims: NodePortClaims): Promise<void> {
  const seen = new Set<string>();
  for (const [index, port] of (service.spec?.ports ?? []).entries()) {
    if (!port.nodePort && !isAutomatic(service)) continue;
    if (!port.nodePort) port.nodePort = await claims.takeAny();
    else if (!claims.has(port.nodePort)) await claimRequested(service, claims, port.nodePort, index);
    const opened = `{${port.protocol} ${port.nodePort}}`;
    if (seen.has(opened)) throw unclassifiedError(500, `duplicate nodePort: ${opened}`);
    seen.add(opened);
  }
}

function isAutomatic({ spec }: Service): boolean {
  return spec?.type === 'NodePort' || spec?.allocateLoadBalancerNodePorts !== false;
}

function requestedNodePort(ports: readonly ServicePort[], number: number): number | undefined {
  return ports.find(({ port, nodePort }) => port === number && nodePort)?.nodePort;
}

async function claimRequested(service: Service, claims: NodePortClaims, port: number, index: number): Promise<void> {
  const refusal = await claims.take(port);
  if (refusal === undefined) return;
  throw invalidError({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
    invalid(portsPath.index(index).child('nodePort'), port, refusal),
  ]);
}

function isRequestedForHealth(service: Service | undefined): boolean {
  return service?.spec?.type === 'LoadBalancer' && service.spec.externalTrafficPolicy === 'Local';
}

async function fillHealthCheckPort(service: Service, claims: NodePortClaims): Promise<void> {
  const { spec } = service;
  if (spec === undefined || !isRequestedForHealth(service)) return;
  if (!spec.healthCheckNodePort) {
    spec.healthCheckNodePort = await claims.takeAny();
    return;
  }
  const refusal = await claims.take(spec.healthCheckNodePort);
  if (refusal !== undefined)
    throw internalError(`failed to allocate requested HealthCheck NodePort ${spec.healthCheckNodePort}: ${refusal}`);
}

/** Node ports that one service claims in one write. */
class NodePortClaims {
  readonly #dependencies: EndpointDependencies;
  /** Node ports that the service has already. */
  readonly #held: ReadonlySet<number>;
  readonly #isDryRun: boolean;
  readonly #ledger: NodePortLedger;
  readonly #taken = new Set<number>();

  constructor(dependencies: EndpointDependencies, held: ReadonlySet<number>, isDryRun: boolean) {
    this.#dependencies = dependencies;
    this.#ledger = nodePortLedger(dependencies.store);
    this.#held = held;
    this.#isDryRun = isDryRun;
  }

  has(port: number): boolean {
    return this.#held.has(port) || this.#taken.has(port);
  }

  /** Returns the reason why the port is not available; `undefined` once it is claimed. */
  async take(port: number): Promise<string | undefined> {
    if (this.#held.has(port)) return undefined;
    const isInRange = port >= NODE_PORTS.first && port <= NODE_PORTS.last;
    if (!isInRange && !this.#isDryRun)
      return `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`;
    if (this.#taken.has(port) || (isInRange && !(await this.#isFree(port))))
      return 'provided port is already allocated';
    this.#taken.add(port);
    return undefined;
  }

  async takeAny(): Promise<number> {
    if (this.#isDryRun) return this.#standIn();
    const port = await chooseFree(this.#dependencies.random, NODE_PORTS, (candidate) => this.#isFree(candidate));
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
    this.#taken.add(port);
    return port;
  }

  /** Returns the port that a dry run shows: one above the range, or above those requested. */
  #standIn(): number {
    const highest = this.#taken.size === 0 ? NODE_PORTS.last + 1 : Math.max(...this.#taken);
    this.#taken.add(highest + 1);
    return highest + 1;
  }

  async operations(service: Service | undefined, released: readonly number[]): Promise<Operation[]> {
    if (service === undefined || this.#isDryRun) return [];
    return await this.#ledger.change(nameOf(service), this.#taken, released);
  }

  async #isFree(port: number): Promise<boolean> {
    return !this.#taken.has(port) && (await this.#ledger.isFree(port));
  }
}
