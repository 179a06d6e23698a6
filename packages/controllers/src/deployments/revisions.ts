import type { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED = 'deployment.kubernetes.io/desired-replicas';
export const MAX = 'deployment.kubernetes.io/max-replicas';
/** Holds the revision that somebody wants back. */
export const ROLLBACK = 'deprecated.deployment.rollback.to';
/** A deployment's annotations are its replica sets' too, but for those that mean something to each alone. */
const OWN: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  ROLLBACK,
  REVISION,
  REVISION_HISTORY,
  DESIRED,
  MAX,
]);
const MAX_HISTORY = 2_000;

export function revisionOf({ metadata }: ReplicaSet | Deployment): number {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** One more than any that was. */
export function nextRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map(revisionOf)) + 1;
}

/** Those that a deployment and its replica sets have alike. */
export function sharedAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !OWN.has(name)));
}

/** Those that mean something to the object they are on alone. */
export function ownAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => OWN.has(name)));
}

/** The annotations a deployment's newest replica set should have. */
export function newestAnnotations(
  { metadata: { annotations: wanted = {} } }: Deployment,
  revision: number,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const annotations: Record<string, string> = { ...before, ...sharedAnnotations(wanted) };
  const former = before[REVISION];
  if (former === undefined || Number(former) < revision) {
    annotations[REVISION] = String(revision);
    if (former !== undefined) {
      const history = [...(before[REVISION_HISTORY]?.split(',') ?? []), former].join(',');
      annotations[REVISION_HISTORY] = history.length > MAX_HISTORY ? history.slice(history.indexOf(',') + 1) : history;
    }
  }
  return annotations;
}
