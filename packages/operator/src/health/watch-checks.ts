import type { Informer, SharedInformers } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import type { Check } from './health-checks.ts';

/** A server that fails is given so long before what it told counts as old. */
const FAILING_MS = 60_000;
/** The server ends watches every ten minutes at the latest, and sends bookmarks meanwhile: nothing is silent longer. */
const SILENT_MS = 11 * 60_000;

/** For each kind that is watched: whether everything is known, and whether it is still heard of. */
export function watchChecks(informers: SharedInformers, cluster = ''): Iterable<readonly [string, Check]> {
  const byName = new Map<string, Informer<KubernetesObject>[]>();
  for (const informer of informers.informers()) {
    const { plural, group } = informer.type;
    const name = ['watch', ...(cluster === '' ? [] : [cluster]), group === '' ? plural : `${plural}.${group}`].join(
      '-',
    );
    byName.set(name, [...(byName.get(name) ?? []), informer]);
  }
  return [...byName].map(([name, watched]) => [name, () => firstProblem(watched)] as const);
}

function firstProblem(informers: readonly Informer<KubernetesObject>[]): string | undefined {
  return informers.map(problemOf).find((problem) => problem !== undefined);
}

function problemOf(informer: Informer<KubernetesObject>): string | undefined {
  if (!informer.isSynced) return 'not everything is known yet';
  const { silentMs, isFailing } = informer;
  const isStalled = silentMs > SILENT_MS || (isFailing && silentMs > FAILING_MS);
  return isStalled ? `nothing was heard for ${Math.floor(silentMs / 1_000)} s` : undefined;
}
