import type { CachedClient } from '@pintle/client';
import { ControllerRevision, DaemonSet } from '@pintle/kinds/apps/v1';
import { Node, Pod } from '@pintle/kinds/core/v1';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Result } from '@pintle/operator';
import { allSettledLimited, slowStartBatch } from '../common/concurrency.ts';
import type { PodControl } from '../common/pod-control.ts';
import {
  ensureNewestRevision,
  type NewestRevision,
  templateData,
  truncateHistory,
} from '../controller-revisions/history.ts';
import { templateHash } from '../template-hash/hash.ts';
import { daemonPod, HASH, nodeEligibility } from './daemon-pod.ts';
import { type DaemonSetSnapshot, groupByNode, type PodChanges } from './daemon-set-snapshot.ts';
import type { FailedPodsBackoff } from './failed-pods-backoff.ts';
import { planPlacement } from './placement.ts';
import { rollingUpdate } from './rolling-update.ts';
import { daemonStatus, untilAvailableMs } from './status.ts';

interface DaemonSetSyncOptions {
  readonly client: CachedClient;
  readonly control: PodControl;
  readonly backoff: FailedPodsBackoff;
  readonly nowMs: number;
  readonly set: DaemonSet;
  readonly revisions: readonly ControllerRevision[];
  /** Lists the set's current pods. */
  readonly pods: () => Promise<Pod[]>;
}

/** Pods that one sync creates or deletes at most; the rest follows in the next. */
const MAX_BURST = 250;

/** One sync of a DaemonSet: create and delete pods, take the next step of a rolling update, update the status. */
export async function syncDaemonSet(options: DaemonSetSyncOptions): Promise<Result | undefined> {
  const { client, set, nowMs } = options;
  const revisions = await dedupeCurrentRevisions(options, await withHashLabels(client, options.revisions));
  const history = { client, ownerType: DaemonSet, owner: set, revisions, hashLabel: HASH, hashOf: hashOf(set) };
  const newest = await ensureNewestRevision(history);
  const hash = newest.newest.metadata.labels?.[HASH] ?? '';
  const eligibilityByNode = nodeEligibility(set, await client.list(Node));
  const takeSnapshot = async (): Promise<DaemonSetSnapshot> => ({
    set,
    hash,
    eligibilityByNode,
    podsByNode: groupByNode(await options.pods()),
    nowMs,
  });
  const before = await takeSnapshot();
  const managed = await manage(options, before);
  const next = managed.isChanged ? await takeSnapshot() : before;
  const isRolled = managed.failure === undefined && set.spec?.updateStrategy?.type !== 'OnDelete';
  const changes = isRolled ? rollingUpdate(next) : NO_CHANGES;
  const failure = managed.failure ?? (await syncNodes(options, hash, changes));
  const current = hasChanges(changes) ? await takeSnapshot() : next;
  await truncateHistory(history, isInUse(current, newest));
  await writeStatus(client, set, daemonStatus(current, newest.collisionCount));
  if (failure !== undefined) throw failure;
  return requeueAfter([managed.retryMs, untilAvailableMs(current)]);
}

/** An absent collision count hashes differently from 0. */
function hashOf({ spec, status }: DaemonSet): (data: object, collisionCount: number) => string {
  const first = status?.collisionCount;
  return (_, count) => templateHash(spec?.template ?? {}, count === 0 ? first : count);
}

/** Labels revisions that have no hash label with their own name, as Kubernetes does. */
async function withHashLabels(
  client: CachedClient,
  revisions: readonly ControllerRevision[],
): Promise<readonly ControllerRevision[]> {
  const known: ControllerRevision[] = [];
  for (const revision of revisions) {
    const { metadata } = revision;
    const labels = { ...metadata.labels, [HASH]: metadata.name ?? '' };
    const isLabelled = metadata.labels !== undefined && Object.hasOwn(metadata.labels, HASH);
    const next = { ...revision, metadata: { ...metadata, labels } };
    known.push(isLabelled ? revision : await client.update(ControllerRevision, next));
  }
  return known;
}

/**
 * Keeps the newest of the revisions that have the set's template, deletes the others, and labels the set's pods with
 * its hash.
 */
async function dedupeCurrentRevisions(
  { client, set, pods }: DaemonSetSyncOptions,
  revisions: readonly ControllerRevision[],
): Promise<readonly ControllerRevision[]> {
  const data = templateData(set.spec?.template ?? {});
  const copies = revisions.filter((revision) => deepEqual(revision.data, data));
  const kept = copies.pop();
  if (kept === undefined || copies.length === 0) return revisions;
  const hash = kept.metadata.labels?.[HASH] ?? '';
  for (const { metadata } of await pods()) {
    const { namespace, name = '', labels } = metadata;
    const body = { metadata: { labels: { [HASH]: hash } } };
    if (labels?.[HASH] !== hash) await client.patch(Pod, { namespace, name }, { type: 'merge', body });
  }
  for (const copy of copies) await client.delete(ControllerRevision, copy);
  return revisions.filter((revision) => !copies.includes(revision));
}

const NO_CHANGES: PodChanges = { podsToDelete: [], nodesNeedingPods: [] };

function hasChanges({ podsToDelete, nodesNeedingPods }: PodChanges): boolean {
  return podsToDelete.length + nodesNeedingPods.length > 0;
}

interface ManageResult {
  readonly isChanged: boolean;
  readonly failure: unknown;
  readonly retryMs: number | undefined;
}

async function manage(options: DaemonSetSyncOptions, snapshot: DaemonSetSnapshot): Promise<ManageResult> {
  const { control, backoff, nowMs } = options;
  const { uid, generation } = snapshot.set.metadata;
  const changes = planPlacement(snapshot, (node) => backoff.waitMs(`${uid}/${generation}/${node}`, nowMs));
  for (const { pod, node } of changes.ended) {
    const where = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`;
    if (pod.status?.phase === 'Failed')
      control.recordEvent('Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
    else control.recordEvent('Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
  }
  const failure = await syncNodes(options, snapshot.hash, changes);
  return { isChanged: hasChanges(changes), failure, retryMs: changes.retryMs };
}

/** Returns the first error. */
async function syncNodes({ control, set }: DaemonSetSyncOptions, hash: string, changes: PodChanges): Promise<unknown> {
  const nodes = changes.nodesNeedingPods.slice(0, MAX_BURST);
  const { error } = await slowStartBatch(nodes.length, (index) => control.create(daemonPod(set, nodes[index]!, hash)));
  const removals = await allSettledLimited(changes.podsToDelete.slice(0, MAX_BURST), (pod) => control.delete(pod));
  const failed = removals.find((outcome) => outcome.status === 'rejected');
  return error ?? failed?.reason;
}

function isInUse(
  { podsByNode }: DaemonSetSnapshot,
  { newest }: NewestRevision,
): (revision: ControllerRevision) => boolean {
  const hashes = new Set([...podsByNode.values()].flat().map(({ metadata }) => metadata.labels?.[HASH]));
  return ({ metadata }) => metadata.name === newest.metadata.name || hashes.has(metadata.labels?.[HASH]);
}

async function writeStatus(
  client: CachedClient,
  set: DaemonSet,
  status: NonNullable<DaemonSet['status']>,
): Promise<void> {
  if (deepEqual(status, set.status)) return;
  await client.update(DaemonSet, { ...set, status }, { subresource: 'status' }).catch(ignoring(isNotFound));
}

function requeueAfter(waits: readonly (number | undefined)[]): Result | undefined {
  const known = waits.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : { requeueAfterMs: Math.min(...known) };
}
