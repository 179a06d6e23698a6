import type { CachedClient } from '@pintle/client';
import { type ControllerRevision, StatefulSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Result } from '@pintle/operator';
import { slowStartBatch } from '../common/concurrency.ts';
import { isTerminatingNamespace } from '../common/pod-control.ts';
import { isTerminal } from '../common/pods.ts';
import {
  ensureNewestRevision,
  type NewestRevision,
  templateOf,
  truncateHistory,
} from '../controller-revisions/history.ts';
import { dataHash } from '../template-hash/hash.ts';
import { createClaims, fixClaimOwners, isClaimOwnedByFormerPod, updateClaimOwners } from './claims.ts';
import { isInRange, missingIdentity, ordinalOf, revisionOf, sizeOf, startOf, statefulPod } from './identity.ts';
import { outdatedPods } from './rolling-update.ts';
import { isRunningAndAvailable, isTerminating, type Revisions, statefulStatus, untilAvailableMs } from './status.ts';

const HASH = 'controller.kubernetes.io/hash';

interface StatefulSetSyncOptions {
  readonly client: CachedClient;
  readonly recordEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Resolves when the next pod may be created. */
  readonly throttle: () => Promise<void>;
  readonly nowMs: number;
  readonly set: StatefulSet;
  readonly revisions: readonly ControllerRevision[];
  /** Lists the set's current pods. */
  readonly pods: () => Promise<Pod[]>;
}

/** One sync of a StatefulSet: take the next step, and update the status. */
export async function syncStatefulSet(options: StatefulSetSyncOptions): Promise<Result | undefined> {
  const { client, set, revisions, nowMs } = options;
  const history = {
    client,
    ownerType: StatefulSet,
    owner: set,
    revisions,
    hashLabel: HASH,
    hashOf: dataHash,
    keepsFirstHash: true,
  };
  const newest = await ensureNewestRevision(history);
  const chosen = currentAndUpdateRevisions(options, newest);
  let failure: unknown;
  if (!set.metadata.deletionTimestamp) {
    try {
      await new ReplicaSync(options, chosen, await options.pods()).process();
    } catch (error) {
      failure = error;
    }
  }
  const pods = await options.pods();
  await writeStatus(options, statefulStatus(set, chosen, pods, { collisionCount: newest.collisionCount, nowMs }));
  const names = new Set([...pods.map(revisionOf), chosen.current.metadata.name, chosen.update.metadata.name]);
  await truncateHistory(history, ({ metadata }) => names.has(metadata.name));
  if (failure !== undefined) throw failure;
  const waitMs = untilAvailableMs(set, pods, nowMs);
  return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
}

function currentAndUpdateRevisions({ set, revisions }: StatefulSetSyncOptions, { newest }: NewestRevision): Revisions {
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  return { current: current ?? newest, update: newest };
}

async function writeStatus({ client, set }: StatefulSetSyncOptions, status: StatefulSet['status']): Promise<void> {
  if (deepEqual(status, set.status)) return;
  await client.update(StatefulSet, { ...set, status: status! }, { subresource: 'status' }).catch(ignoring(isNotFound));
}

interface Replica {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** Pods that one sync creates at most; the rest follows in the next. */
const MAX_BURST = 500;

/** Returns the replicas in order, up to the last that one sync may create. */
function desiredReplicas(set: StatefulSet, pods: ReadonlyMap<number, Pod>): Replica[] {
  const start = startOf(set);
  const replicas: Replica[] = [];
  let missing = 0;
  for (let ordinal = start; ordinal < start + sizeOf(set) && missing < MAX_BURST; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod === undefined) missing++;
    replicas.push({ ordinal, pod });
  }
  return replicas;
}

/** True when the replicas after this one have to wait. */
type MustWait = boolean;

/**
 * Replicas of a set, each with its pod or without. Processed in order, each waiting for its predecessors, or all at
 * once with the policy Parallel.
 */
class ReplicaSync {
  readonly #options: StatefulSetSyncOptions;
  readonly #revisions: Revisions;
  /** Ordinals in range. */
  readonly #replicas: readonly Replica[];
  /** Pods out of range, the last first. */
  readonly #condemned: { readonly ordinal: number; readonly pod: Pod }[];
  readonly #isOrdered: boolean;

  constructor(options: StatefulSetSyncOptions, revisions: Revisions, pods: readonly Pod[]) {
    const { set } = options;
    this.#options = options;
    this.#revisions = revisions;
    this.#isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
    const podsWithOrdinals = pods.flatMap((pod) => {
      const ordinal = ordinalOf(set, pod);
      return ordinal === undefined ? [] : [{ ordinal, pod }];
    });
    const byOrdinal = new Map(podsWithOrdinals.map(({ ordinal, pod }) => [ordinal, pod]));
    this.#replicas = desiredReplicas(set, byOrdinal);
    this.#condemned = podsWithOrdinals
      .filter(({ ordinal }) => !isInRange(set, ordinal))
      .sort((a, b) => b.ordinal - a.ordinal);
  }

  async process(): Promise<void> {
    const { set } = this.#options;
    if (await this.#each(this.#replicas, ({ ordinal, pod }) => this.#processReplica(ordinal, pod))) return;
    for (const { ordinal, pod } of this.#condemned) await fixClaimOwners(this.#options, pod, ordinal);
    const blocking = this.#firstUnhealthyPod();
    if (await this.#each(this.#condemned, ({ pod }) => this.#processCondemned(pod, blocking))) return;
    if (set.spec?.updateStrategy?.type !== 'OnDelete') await this.#updatePods();
  }

  /** Processes replicas in order until one has to wait, or all of them. Returns whether one has to wait. */
  async #each<P>(replicas: readonly P[], process: (replica: P) => Promise<MustWait>): Promise<MustWait> {
    if (!this.#isOrdered) {
      const { error } = await slowStartBatch(replicas.length, async (index) => void (await process(replicas[index]!)));
      if (error !== undefined) throw error;
      return false;
    }
    for (const replica of replicas) if (await process(replica)) return true;
    return false;
  }

  async #processReplica(ordinal: number, pod: Pod | undefined): Promise<MustWait> {
    const { set, nowMs } = this.#options;
    if (pod === undefined) return await this.#createPod(ordinal);
    if (isTerminal(pod)) {
      if (!isTerminating(pod)) await this.#deletePod(pod);
      return true;
    }
    if (pod.status?.phase === 'Pending') {
      await createClaims(this.#options, ordinal);
      await this.#updateClaimOwners(pod, ordinal);
    }
    if (this.#isOrdered && !isRunningAndAvailable(set, pod, nowMs)) return true;
    await this.#updatePod(pod, ordinal);
    return false;
  }

  /** Corrects the identity labels of a pod and the owners of its claims. */
  async #updatePod(pod: Pod, ordinal: number): Promise<void> {
    const { set, client, recordEvent } = this.#options;
    const { namespace, name = '', uid } = pod.metadata;
    const what = `Update Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      const labels = missingIdentity(pod, ordinal);
      if (labels !== undefined)
        await client.patch(Pod, { namespace, name }, { type: 'merge', body: { metadata: { uid, labels } } });
      const isChanged = await fixClaimOwners(this.#options, pod, ordinal);
      if (isChanged || labels !== undefined) recordEvent('Normal', 'SuccessfulUpdate', `${what} successful`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!isConflict(error)) recordEvent('Warning', 'FailedUpdate', `${what} failed error: ${why}`);
      throw error;
    }
  }

  async #createPod(ordinal: number): Promise<MustWait> {
    const { set, client, recordEvent, throttle } = this.#options;
    if (await isClaimOwnedByFormerPod(this.#options, ordinal)) return true;
    await throttle();
    const revision = this.#revisionFor(ordinal);
    const pod = statefulPod(set, ordinal, templateOf(revision), revision.metadata.name ?? '');
    const what = `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    let created: Pod;
    try {
      await createClaims(this.#options, ordinal);
      created = await client.create(Pod, pod);
    } catch (error) {
      if (isTerminatingNamespace(error)) return true;
      const why = error instanceof Error ? error.message : String(error);
      if (!isAlreadyExists(error)) recordEvent('Warning', 'FailedCreate', `${what} failed error: ${why}`);
      throw error;
    }
    await this.#updateClaimOwners(created, ordinal);
    recordEvent('Normal', 'SuccessfulCreate', `${what} successful`);
    return this.#isOrdered;
  }

  async #updateClaimOwners(pod: Pod, ordinal: number): Promise<void> {
    const { set, recordEvent } = this.#options;
    try {
      await updateClaimOwners(this.#options, pod, ordinal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const what = `Update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
      recordEvent('Warning', 'FailedUpdate', `${what} failed error: ${why}`);
      throw error;
    }
  }

  /** Returns the current revision for a pod below the partition, else the update revision. */
  #revisionFor(ordinal: number): ControllerRevision {
    const { set } = this.#options;
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
    if (type === 'OnDelete') return this.#revisions.update;
    const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
    return ordinal < startOf(set) + kept ? this.#revisions.current : this.#revisions.update;
  }

  #firstUnhealthyPod(): Pod | undefined {
    const { set, nowMs } = this.#options;
    const ordered = [...this.#replicas, ...this.#condemned.toReversed()];
    return ordered.find(({ pod }) => pod !== undefined && !isRunningAndAvailable(set, pod, nowMs))?.pod;
  }

  async #processCondemned(pod: Pod, blocking: Pod | undefined): Promise<MustWait> {
    const { set, nowMs } = this.#options;
    if (isTerminating(pod)) return true;
    const mayDelete = pod === blocking || isRunningAndAvailable(set, pod, nowMs);
    if (this.#isOrdered && !mayDelete) return true;
    await this.#deletePod(pod);
    return true;
  }

  async #updatePods(): Promise<void> {
    const { set, nowMs } = this.#options;
    const pods = this.#replicas.flatMap(({ pod }) => (pod === undefined ? [] : [pod]));
    if (pods.length < sizeOf(set)) return;
    for (const pod of outdatedPods(set, pods, this.#revisions.update.metadata.name ?? '', nowMs))
      await this.#deletePod(pod);
  }

  async #deletePod(pod: Pod): Promise<void> {
    const { client, set, recordEvent } = this.#options;
    const what = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      if (await client.delete(Pod, pod)) recordEvent('Normal', 'SuccessfulDelete', `${what} successful`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      recordEvent('Warning', 'FailedDelete', `${what} failed error: ${why}`);
      throw error;
    }
  }
}
