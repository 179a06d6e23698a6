import type { Connection, LoadRequest, Protocol } from './load/connection.ts';
import type { Outcome } from './load/load.ts';
import { connectAll, percentile, runLoad } from './load/load.ts';
import type { Stage } from './stage.ts';

export interface CompareOptions {
  readonly protocol: Protocol;
  readonly inFlight: number;
  readonly next: () => LoadRequest;
  readonly rounds?: number;
  readonly roundMs?: number;
}

export interface Comparison {
  readonly perSecond: number;
  readonly barePerSecond: number;
  /** Best round of our server as a share of the baseline's. */
  readonly share: number;
  /** CPU time of one request, as a multiple of the baseline's. */
  readonly cpuFactor: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const WARM_UP_REQUESTS = 15_000;
const WARM_UP_MS = 5_000;

/** Loads both servers in turns, so that a busy moment of the machine hits both; the best rounds count. */
export async function compare(stage: Stage, options: CompareOptions): Promise<Comparison> {
  const { protocol, inFlight, next, rounds = 4, roundMs = 700 } = options;
  const ours = await connectAll(stage.target, protocol, inFlight);
  const bare = await connectAll(stage.bareTarget(protocol), protocol, inFlight);
  await warmUp(ours, next);
  await warmUp(bare, next);
  const mine: Measured[] = [];
  const theirs: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    mine.push(await measured(stage, 'server', () => runLoad(ours, roundMs, next)));
    theirs.push(await measured(stage, 'bare', () => runLoad(bare, roundMs, next)));
  }
  for (const connection of [...ours, ...bare]) connection.close();
  const best = bestOf(mine);
  const bestBare = bestOf(theirs);
  return {
    perSecond: best.perSecond,
    barePerSecond: bestBare.perSecond,
    share: best.perSecond / bestBare.perSecond,
    cpuFactor: Math.min(...mine.map(cpuPerRequest)) / Math.min(...theirs.map(cpuPerRequest)),
    p50Ms: percentile(best.latencies, 0.5),
    p99Ms: Math.min(...mine.map(({ latencies }) => percentile(latencies, 0.99))),
  };
}

export interface Share {
  readonly perSecond: number;
  readonly basePerSecond: number;
  /** Best round as a share of the other's best. */
  readonly share: number;
  /** The same by CPU time of one request, which is more reliable on a busy machine. */
  readonly cpuShare: number;
}

/** Runs two kinds of load on our server in turns, so that a busy moment of the machine hits both. */
export async function shareOf(stage: Stage, base: () => LoadRequest, options: CompareOptions): Promise<Share> {
  const { protocol, inFlight, next, rounds = 4, roundMs = 700 } = options;
  const connections = await connectAll(stage.target, protocol, inFlight);
  await warmUp(connections, base);
  await warmUp(connections, next);
  const ofBase: Measured[] = [];
  const found: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    ofBase.push(await measured(stage, 'server', () => runLoad(connections, roundMs, base)));
    found.push(await measured(stage, 'server', () => runLoad(connections, roundMs, next)));
  }
  for (const connection of connections) connection.close();
  const { perSecond } = bestOf(found);
  const basePerSecond = bestOf(ofBase).perSecond;
  const cpuShare = Math.min(...ofBase.map(cpuPerRequest)) / Math.min(...found.map(cpuPerRequest));
  return { perSecond, basePerSecond, share: perSecond / basePerSecond, cpuShare };
}

/** Lets the engine compile the code before it is measured. */
export async function warmUp(connections: readonly Connection[], next: () => LoadRequest): Promise<void> {
  const end = performance.now() + WARM_UP_MS;
  for (let done = 0; done < WARM_UP_REQUESTS && performance.now() < end; ) {
    done += (await runLoad(connections, 200, next)).latencies.length;
  }
}

interface Measured extends Outcome {
  readonly cpuMs: number;
}

async function measured(stage: Stage, of: 'server' | 'bare', run: () => Promise<Outcome>): Promise<Measured> {
  await stage.usage(of, { isCollected: false });
  const outcome = await run();
  const { cpuMs } = await stage.usage(of, { isCollected: false });
  return { ...outcome, cpuMs };
}

function cpuPerRequest({ cpuMs, latencies }: Measured): number {
  return cpuMs / latencies.length;
}

function bestOf<T extends Outcome>(outcomes: readonly T[]): T {
  return outcomes.reduce((a, b) => (a.perSecond > b.perSecond ? a : b));
}

export function describeShare(what: string, { perSecond, barePerSecond, share, cpuFactor }: Comparison): string {
  const rates = `${Math.round(perSecond)}/s of ${Math.round(barePerSecond)}/s`;
  return `${what.padEnd(44)} ${percent(share)} of a bare server (${rates}), processor time × ${cpuFactor.toFixed(2)}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0).padStart(3)} %`;
}
