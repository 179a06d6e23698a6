import { StoreError } from '@pintle/store';
import type { Cluster } from './rpc/cluster.ts';
import { STATUS } from './rpc/methods.ts';

const PROBE_MS = 3_000;
/** Minimum patch versions: older ones lose events, or report progress before the events that it covers. */
const MINIMUM_VERSIONS: ReadonlyMap<string, number> = new Map([
  ['3.5', 13],
  ['3.6', 0],
]);
/**
 * Recommended patch versions: older ones may answer a linearizable read with stale data after their process was paused.
 */
const RECOMMENDED_VERSIONS: ReadonlyMap<string, number> = new Map([
  ['3.5', 26],
  ['3.6', 9],
]);

/**
 * Asks every member for its version. Throws Unavailable when none answers, when they belong to different clusters, or
 * when one is too old; warns about others that should be newer.
 */
export async function probe(cluster: Cluster, warn: (problem: string) => void): Promise<void> {
  const outcomes = await Promise.allSettled(
    cluster.endpoints.map((endpoint) =>
      endpoint.call(STATUS, STATUS.encode({}), { timeoutMs: PROBE_MS, failFast: true }),
    ),
  );
  const clusters = new Set<bigint>();
  let failure: Error | undefined;
  for (const [index, outcome] of outcomes.entries()) {
    const { address } = cluster.endpoints[index]!;
    if (outcome.status === 'rejected') {
      failure = outcome.reason as Error;
      warn(`etcd at ${address} does not answer: ${failure.message}`);
      continue;
    }
    const { version, header } = outcome.value;
    clusters.add(header.clusterId);
    checkVersion(address, version, warn);
  }
  if (clusters.size === 0) throw unavailable(`no etcd server answers: ${failure?.message}`, failure);
  if (clusters.size > 1) throw unavailable('the etcd endpoints belong to different clusters');
}

function checkVersion(address: string, version: string, warn: (problem: string) => void): void {
  const [, line, patch] = /^(\d+\.\d+)\.(\d+)/.exec(version) ?? [];
  const minor = line?.split('.').map(Number);
  if (line === undefined || minor === undefined)
    throw unavailable(`etcd at ${address} has an unknown version ${JSON.stringify(version)}`);
  const isOld = minor[0]! < 3 || (minor[0] === 3 && minor[1]! < 5);
  if (isOld || Number(patch) < (MINIMUM_VERSIONS.get(line) ?? 0))
    throw unavailable(`etcd ${version} at ${address} loses watch events: use 3.5.13 or newer`);
  if (Number(patch) < (RECOMMENDED_VERSIONS.get(line) ?? 0))
    warn(
      `etcd ${version} at ${address} may answer a consistent read with old data after a pause: ${line}.${RECOMMENDED_VERSIONS.get(line)} does not`,
    );
}

function unavailable(problem: string, cause?: Error): StoreError {
  return new StoreError({ code: 'Unavailable', problem }, cause === undefined ? {} : { cause });
}
