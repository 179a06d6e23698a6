import type { Node } from '@pintle/kinds/core/v1';
import type { Endpoint } from '@pintle/kinds/discovery/v1';
import { deepEqual } from '@pintle/machinery/json';
import { parseQuantity } from '@pintle/machinery/quantity';
import { isNodeReady } from '../common/nodes.ts';

/** Share of all nodes' CPUs that each zone has. */
type ZoneShares = ReadonlyMap<string, number>;

/** Endpoints of a slice, and those of the existing slice. */
interface SliceDraft {
  readonly endpoints: readonly Endpoint[];
  readonly former?: readonly Endpoint[] | undefined;
}

export type ZoneHints =
  | { readonly endpoints: readonly (readonly Endpoint[])[] }
  /** Reason why hints cannot be assigned. */
  | { readonly problem: string };

export const ZONE = 'topology.kubernetes.io/zone';
const CONTROL_PLANE_ROLES = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
/** Overload that an endpoint may have, relative to an even distribution. */
const OVERLOAD = 0.2;

/** Returns `undefined` when a node lacks its zone or CPUs, or when there are fewer than two zones. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const processors = new Map<string, number>();
  for (const node of nodes) {
    const { labels = {} } = node.metadata;
    if (CONTROL_PLANE_ROLES.some((label) => Object.hasOwn(labels, label)) || !isNodeReady(node)) continue;
    const zone = labels[ZONE];
    const cpu = parseQuantity(node.status?.allocatable?.cpu ?? '0').toNumber();
    if (!zone || !(cpu > 0)) return undefined;
    processors.set(zone, (processors.get(zone) ?? 0) + cpu);
  }
  if (processors.size < 2) return undefined;
  const total = [...processors.values()].reduce((sum, cpu) => sum + cpu, 0);
  return new Map([...processors].map(([zone, cpu]) => [zone, cpu / total]));
}

/**
 * Assigns a zone to each ready endpoint: its own, unless another zone has too few for its share. Slices that do not
 * change otherwise keep hints that are still valid.
 */
export function hintByZones(drafts: readonly SliceDraft[], shares: ZoneShares | undefined): ZoneHints {
  const total = drafts.flatMap(({ endpoints }) => endpoints).filter(isEndpointReady).length;
  const limits = limitsOf(shares, total);
  if (typeof limits === 'string') return { problem: limits };
  const given = new Map<string, number>();
  const kept = drafts.map((draft) => unchangedEndpoints(draft, limits, given));
  const open = drafts
    .flatMap(({ endpoints }, index) => (kept[index] === undefined ? endpoints : []))
    .filter(isEndpointReady);
  if (open.some(({ zone }) => !zone)) return { problem: 'One or more endpoints do not have a zone specified' };
  for (const { zone = '' } of open) add(given, zone, 1);
  const zones = redistribute(open, limits, given);
  const hinted = new Map(open.map((endpoint, index) => [endpoint, withZone(endpoint, zones[index]!)]));
  return {
    endpoints: drafts.map(({ endpoints }, index) => kept[index] ?? endpoints.map((each) => hinted.get(each) ?? each)),
  };
}

interface Limit {
  readonly desired: number;
  readonly maximum: number;
}

type Limits = ReadonlyMap<string, Limit>;

/** Returns how many endpoints each zone needs, or why that is impossible. */
function limitsOf(shares: ZoneShares | undefined, total: number): Limits | string {
  if (shares === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const counts = `(${total} endpoints, ${shares.size} zones)`;
  if (shares.size > total) return `Insufficient number of endpoints ${counts}`;
  const minimums = new Map([...shares].map(([zone, share]) => [zone, Math.ceil((share * total) / (1 + OVERLOAD))]));
  const spare = total - [...minimums.values()].reduce((sum, minimum) => sum + minimum, 0);
  if (spare < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
  return new Map(
    [...minimums].map(([zone, minimum]) => [
      zone,
      { desired: Math.max((shares.get(zone) ?? 0) * total, minimum), maximum: minimum + spare },
    ]),
  );
}

/**
 * Returns the existing endpoints when only hints would change and no zone exceeds its maximum. Adds them to `given`.
 */
function unchangedEndpoints(
  { endpoints, former }: SliceDraft,
  limits: Limits,
  given: Map<string, number>,
): readonly Endpoint[] | undefined {
  if (former === undefined || !deepEqual(former.map(withoutHints), endpoints)) return undefined;
  const counts = new Map<string, number>();
  for (const { hints } of former.filter(isEndpointReady)) {
    if (!hints?.forZones?.length) return undefined;
    for (const { name } of hints.forZones) add(counts, name, 1);
  }
  for (const [zone, count] of counts) {
    const maximum = limits.get(zone)?.maximum ?? -1;
    if (count + (given.get(zone) ?? 0) > maximum) return undefined;
  }
  for (const [zone, count] of counts) add(given, zone, count);
  return former;
}

/** Returns the zones of the endpoints, after moving some from zones that have too many to zones that have too few. */
function redistribute(endpoints: readonly Endpoint[], limits: Limits, given: ReadonlyMap<string, number>): string[] {
  const excess = new Map([...limits].map(([zone, { desired }]) => [zone, (given.get(zone) ?? 0) - desired]));
  const gives = new Map<string, number>();
  const receives: string[] = [];
  for (;;) {
    const [from, most] = extreme(excess, 1);
    const [to, least] = extreme(excess, -1);
    if (Math.min(most, least) < 0.5 || Math.max(most, least) < 1) break;
    add(excess, from, -1);
    add(excess, to, 1);
    add(gives, from, 1);
    receives.push(to);
  }
  let moved = 0;
  return endpoints.map(({ zone = '' }) => {
    const left = gives.get(zone) ?? 0;
    if (left === 0 || moved === receives.length) return zone;
    gives.set(zone, left - 1);
    return receives[moved++]!;
  });
}

function extreme(excess: ReadonlyMap<string, number>, sign: 1 | -1): [string, number] {
  let most: [string, number] = ['', 0];
  for (const [zone, amount] of excess) if (sign * amount > most[1]) most = [zone, sign * amount];
  return most;
}

function add(counts: Map<string, number>, zone: string, amount: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + amount);
}

function withZone({ addresses, conditions, ...rest }: Endpoint, name: string): Endpoint {
  return { addresses, ...(conditions && { conditions }), hints: { forZones: [{ name }] }, ...rest };
}

function withoutHints({ hints: _hints, ...endpoint }: Endpoint): Endpoint {
  return endpoint;
}

function isEndpointReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}
