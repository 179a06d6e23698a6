import type { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
/** Annotation with the revision to roll back to. */
export const ROLLBACK = 'deprecated.deployment.rollback.to';
/** Annotations that are not copied between a Deployment and its ReplicaSets. */
const OWN: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  ROLLBACK,
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);
const MAX_HISTORY = 2_000;

const MAX_INT64 = 2n ** 63n - 1n;

/** Parses a revision, an integer of 64 bits. Returns 0 when the text is not one. */
export function readRevision(text = ''): bigint {
  const revision = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : 0n;
  return revision > MAX_INT64 || revision < -MAX_INT64 - 1n ? 0n : revision;
}

export function revisionOf({ metadata }: ReplicaSet | Deployment): bigint {
  return readRevision(metadata.annotations?.[REVISION]);
}

/** Sorts replica sets from the oldest revision to the newest. */
export function byRevision(left: ReplicaSet, right: ReplicaSet): number {
  const [a, b] = [revisionOf(left), revisionOf(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the largest revision plus one. */
export function nextRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((newest, revision) => (revision > newest ? revision : newest), 0n) + 1n;
}

/** Returns the annotations that a Deployment and its ReplicaSets share. */
export function sharedAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !OWN.has(name)));
}

/** Returns the annotations that are not copied to or from the object. */
export function ownAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => OWN.has(name)));
}

/** Returns the annotations of a Deployment's newest ReplicaSet. */
export function newestAnnotations(
  { metadata: { annotations: wanted = {} } }: Deployment,
  revision: bigint,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const annotations: Record<string, string> = { ...before, ...sharedAnnotations(wanted) };
  const former = before[REVISION];
  if (former === undefined || readRevision(former) < revision) {
    annotations[REVISION] = String(revision);
    if (former !== undefined) {
      const history = [...(before[REVISION_HISTORY]?.split(',') ?? []), former].join(',');
      annotations[REVISION_HISTORY] = history.length > MAX_HISTORY ? history.slice(history.indexOf(',') + 1) : history;
    }
  }
  return annotations;
}
