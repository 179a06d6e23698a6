import type { CachedClient } from '@pintle/client';
import { ControllerRevision, DaemonSet } from '@pintle/kinds/apps/v1';
import { Node, Pod } from '@pintle/kinds/core/v1';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Result } from '@pintle/operator';
import { fewAtATime, slowStart } from '../common/pace.ts';
import type { PodControl } from '../common/pod-control.ts';
import { dropHistory, type Newest, settleNewest, templateData } from '../controller-revisions/history.ts';
import { templateHash } from '../template-hash/hash.ts';
import { daemonPod, fitsOf, HASH } from './daemon-pod.ts';
import type { FailedPodsBackoff } from './failed-pods-backoff.ts';
import { byNode, type Look, type Steps } from './look.ts';
import { placement } from './placement.ts';
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
  const revisions = await withoutCopies(options, await labelled(client, options.revisions));
  const history = { client, ownerType: DaemonSet, owner: set, revisions, hashLabel: HASH, hashOf: hashOf(set) };
  const newest = await settleNewest(history);
  const hash = newest.newest.metadata.labels?.[HASH] ?? '';
  const fits = fitsOf(set, await client.list(Node));
  const look = async (): Promise<Look> => ({ set, hash, fits, podsByNode: byNode(await options.pods()), nowMs });
  const before = await look();
  const placed = await place(options, before);
  const between = placed.isChanged ? await look() : before;
  const isRolled = placed.failure === undefined && set.spec?.updateStrategy?.type !== 'OnDelete';
  const steps = isRolled ? rollingUpdate(between) : NOTHING;
  const failure = placed.failure ?? (await perform(options, hash, steps));
  const seen = isAnything(steps) ? await look() : between;
  await dropHistory(history, isInUse(seen, newest));
  await writeStatus(client, set, daemonStatus(seen, newest.collisionCount));
  if (failure !== undefined) throw failure;
  return nextLook([placed.retryMs, untilAvailableMs(seen)]);
}

/** An absent collision count hashes differently from 0. */
function hashOf({ spec, status }: DaemonSet): (data: object, collisionCount: number) => string {
  const first = status?.collisionCount;
  return (_, count) => templateHash(spec?.template ?? {}, count === 0 ? first : count);
}

/** Labels revisions that have no hash label with their own name, as Kubernetes does. */
async function labelled(
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
async function withoutCopies(
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

const NOTHING: Steps = { remove: [], make: [] };

function isAnything({ remove, make }: Steps): boolean {
  return remove.length + make.length > 0;
}

interface Placed {
  readonly isChanged: boolean;
  readonly failure: unknown;
  readonly retryMs: number | undefined;
}

async function place(options: DaemonSetSyncOptions, look: Look): Promise<Placed> {
  const { control, backoff, nowMs } = options;
  const { uid, generation } = look.set.metadata;
  const steps = placement(look, (node) => backoff.waitMs(`${uid}/${generation}/${node}`, nowMs));
  for (const { pod, node } of steps.ended) {
    const where = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`;
    if (pod.status?.phase === 'Failed')
      control.tell('Warning', 'FailedDaemonPod', `Found failed ${where}, will try to kill it`);
    else control.tell('Normal', 'SucceededDaemonPod', `Found succeeded ${where}, will try to delete it`);
  }
  const failure = await perform(options, look.hash, steps);
  return { isChanged: isAnything(steps), failure, retryMs: steps.retryMs };
}

/** Returns the first error. */
async function perform({ control, set }: DaemonSetSyncOptions, hash: string, steps: Steps): Promise<unknown> {
  const nodes = steps.make.slice(0, MAX_BURST);
  const { error } = await slowStart(nodes.length, (index) => control.make(daemonPod(set, nodes[index]!, hash)));
  const removals = await fewAtATime(steps.remove.slice(0, MAX_BURST), (pod) => control.remove(pod));
  const failed = removals.find((outcome) => outcome.status === 'rejected');
  return error ?? failed?.reason;
}

function isInUse({ podsByNode }: Look, { newest }: Newest): (revision: ControllerRevision) => boolean {
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

function nextLook(waits: readonly (number | undefined)[]): Result | undefined {
  const known = waits.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : { requeueAfterMs: Math.min(...known) };
}
