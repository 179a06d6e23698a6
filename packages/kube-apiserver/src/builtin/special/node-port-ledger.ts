import { decodeObject, encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { internalError } from '@pintle/machinery/errors';
import type { Operation, Revision, Store, StoreRecord } from '@pintle/store';
import type { NumberRange } from './service-ranges.ts';

/** Range of node ports. Those below `dynamic` are left for explicit requests. */
export const NODE_PORTS: NumberRange = { first: 30_000, last: 32_767, dynamic: 30_086 };

const ABSENT = 0 as Revision;
const RANGE = `${NODE_PORTS.first}-${NODE_PORTS.last}`;
const RANGE_BYTES = Math.ceil((NODE_PORTS.last - NODE_PORTS.first + 1) / 8);
/** Key of the node ports that servers of a shared store have claimed. */
export const NODE_PORT_RANGE = objectKey({ group: '', resource: 'servicenodeportallocations' }, '', 'servicenodeports');

/** The node ports that services have claimed. */
export interface NodePortLedger {
  isFree(port: number): Eventual<boolean>;
  /** Returns the operations that claim and release ports. They are refused when another service was faster. */
  change(service: string, claimed: Iterable<number>, released: Iterable<number>): Promise<Operation[]>;
}

/** Servers that share a store claim ports where kube-apiserver does; one server alone claims each in a record of its own. */
export function nodePortLedger(store: Store): NodePortLedger {
  return store.isShared ? new RangeLedger(store) : new RecordLedger(store);
}

/** Adds node ports of services that have no claim, because another program wrote them. */
export async function adoptNodePorts(store: Store, holders: ReadonlyMap<number, string>): Promise<void> {
  if (store.isShared) await addToRange(store, holders.keys());
  else await addRecords(store, holders);
}

/** One record for each port. */
class RecordLedger implements NodePortLedger {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async isFree(port: number): Promise<boolean> {
    return (await this.#store.get(keyOf(port))) === undefined;
  }

  async change(service: string, claimed: Iterable<number>, released: Iterable<number>): Promise<Operation[]> {
    const operations = [...claimed].map((port) => claimOf(port, service));
    for (const port of released) {
      const record = await this.#store.get(keyOf(port));
      if (record !== undefined) operations.push({ type: 'delete', key: record.key, expected: record.modRevision });
    }
    return operations;
  }
}

/** Returns the storage key of a node port. No API group is named `allocations`. */
function keyOf(port: number): string {
  return `allocations/nodeports/${port}`;
}

function claimOf(port: number, service: string): Operation {
  return { type: 'put', key: keyOf(port), value: Buffer.from(JSON.stringify({ service })), expected: ABSENT };
}

async function addRecords(store: Store, holders: ReadonlyMap<number, string>): Promise<void> {
  for (const [port, service] of holders)
    if ((await store.get(keyOf(port))) === undefined) await store.commit([claimOf(port, service)]);
}

/** A RangeAllocation, as it is stored: `data` is a big-endian number with one bit for each port. */
interface RangeAllocation extends KubernetesObject {
  readonly range?: string;
  readonly data?: string;
}

interface RangeClaims {
  readonly record: StoreRecord;
  readonly bits: Uint8Array;
}

/** One RangeAllocation for all ports, as Kubernetes has it; every change replaces it. */
class RangeLedger implements NodePortLedger {
  readonly #store: Store;
  #claims: RangeClaims | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async isFree(port: number): Promise<boolean> {
    return !hasBit((await this.#read()).bits, port);
  }

  async change(_service: string, claimed: Iterable<number>, released: Iterable<number>): Promise<Operation[]> {
    const [taken, freed] = [[...claimed], [...released]];
    if (taken.length + freed.length === 0) return [];
    // A Service can always be deleted.
    if (taken.length === 0 && typeof (await this.#find()) === 'string') return [];
    const { record, bits } = await this.#read();
    const changed = Uint8Array.from(bits);
    for (const port of freed) setBit(changed, port, false);
    for (const port of taken) setBit(changed, port, true);
    return [putRange(changed, record)];
  }

  async #read(): Promise<RangeClaims> {
    const found = await this.#find();
    if (typeof found === 'string') throw internalError(`cannot allocate node ports: ${found}`);
    return found;
  }

  /** Reads once, so that all changes are based on one version. Returns the reason when ports cannot be claimed. */
  async #find(): Promise<RangeClaims | string> {
    if (this.#claims !== undefined) return this.#claims;
    const record = await this.#store.get(NODE_PORT_RANGE);
    if (record === undefined) return 'their allocations are missing; a server that starts writes them';
    const bits = bitsOf(record);
    if (typeof bits === 'string') return `other servers use the range ${JSON.stringify(bits)}, not ${RANGE}`;
    this.#claims = { record, bits };
    return this.#claims;
  }
}

/** Returns the bits, or another range of ports when the record has one. */
function bitsOf(record: StoreRecord): Uint8Array | string {
  const { range = '', data = '' } = decodeObject(record, 'RangeAllocation') as RangeAllocation;
  if (range !== RANGE) return range;
  const bits = new Uint8Array(RANGE_BYTES);
  const stored = Buffer.from(data, 'base64').subarray(-bits.length);
  bits.set(stored, bits.length - stored.length);
  return bits;
}

function putRange(bits: Uint8Array, record: StoreRecord | undefined): Operation {
  const first = bits.findIndex((byte) => byte !== 0);
  const data = Buffer.from(first < 0 ? [] : bits.subarray(first)).toString('base64');
  const before = record && (decodeObject(record, 'RangeAllocation') as RangeAllocation);
  const object: RangeAllocation = {
    apiVersion: 'v1',
    kind: 'RangeAllocation',
    metadata: before?.metadata ?? {},
    range: RANGE,
    data,
  };
  return { type: 'put', key: NODE_PORT_RANGE, value: encodeObject(object), expected: record?.modRevision ?? ABSENT };
}

async function addToRange(store: Store, ports: Iterable<number>): Promise<void> {
  const record = await store.get(NODE_PORT_RANGE);
  const bits = record === undefined ? new Uint8Array(RANGE_BYTES) : bitsOf(record);
  // Other servers were given another range: they keep their claims, and this one allocates none.
  if (typeof bits === 'string') return;
  let isChanged = record === undefined;
  for (const port of ports) {
    if (port < NODE_PORTS.first || port > NODE_PORTS.last || hasBit(bits, port)) continue;
    setBit(bits, port, true);
    isChanged = true;
  }
  if (isChanged) await store.commit([putRange(bits, record)]);
}

function hasBit(bits: Uint8Array, port: number): boolean {
  const offset = port - NODE_PORTS.first;
  return (bits[bits.length - 1 - (offset >> 3)]! & (1 << (offset & 7))) !== 0;
}

function setBit(bits: Uint8Array, port: number, isSet: boolean): void {
  const offset = port - NODE_PORTS.first;
  const at = bits.length - 1 - (offset >> 3);
  if (at < 0 || at >= bits.length) return;
  const bit = 1 << (offset & 7);
  bits[at] = isSet ? bits[at]! | bit : bits[at]! & ~bit;
}
