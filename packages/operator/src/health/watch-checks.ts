import type { Informer, SharedInformers } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import type { Check } from './health-checks.ts';

/** Time that lists and watches may fail before the check fails. */
const FAILING_MS = 60_000;
/** Longest time without events: the server ends watches after ten minutes at the latest, and sends bookmarks meanwhile. */
const SILENT_MS = 11 * 60_000;

/** Returns a check for each watched kind, which fails until it is synced and when its watch stalls. */
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
  if (!informer.isSynced) return 'not synced yet';
  const { silentMs, isFailing } = informer;
  const isStalled = silentMs > SILENT_MS || (isFailing && silentMs > FAILING_MS);
  return isStalled ? `no watch events for ${Math.floor(silentMs / 1_000)} s` : undefined;
}
