import type { CachedClient } from '@pintle/client';
import { type ControllerRevision, StatefulSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Result } from '@pintle/operator';
import { slowStart } from '../common/pace.ts';
import { isTerminatingNamespace } from '../common/pod-control.ts';
import { isEnded } from '../common/pods.ts';
import { dropHistory, type Newest, settleNewest, templateOf } from '../controller-revisions/history.ts';
import { dataHash } from '../template-hash/hash.ts';
import { isClaimedByFormerPod, makeClaims, settleOwners, writeOwners } from './claims.ts';
import { isInRange, missingIdentity, ordinalOf, revisionOf, sizeOf, startOf, statefulPod } from './identity.ts';
import { outdatedPods } from './rolling-update.ts';
import { isServing, isTerminating, type Revisions, statefulStatus, untilAvailableMs } from './status.ts';

const HASH = 'controller.kubernetes.io/hash';

interface StatefulSetSyncOptions {
  readonly client: CachedClient;
  readonly tell: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Resolves when the next pod may be created. */
  readonly turn: () => Promise<void>;
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
    isFirstHashKept: true,
  };
  const newest = await settleNewest(history);
  const chosen = chosenRevisions(options, newest);
  let failure: unknown;
  if (!set.metadata.deletionTimestamp) {
    try {
      await new Places(options, chosen, await options.pods()).settle();
    } catch (error) {
      failure = error;
    }
  }
  const pods = await options.pods();
  await writeStatus(options, statefulStatus(set, chosen, pods, { collisionCount: newest.collisionCount, nowMs }));
  const names = new Set([...pods.map(revisionOf), chosen.current.metadata.name, chosen.update.metadata.name]);
  await dropHistory(history, ({ metadata }) => names.has(metadata.name));
  if (failure !== undefined) throw failure;
  const waitMs = untilAvailableMs(set, pods, nowMs);
  return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
}

function chosenRevisions({ set, revisions }: StatefulSetSyncOptions, { newest }: Newest): Revisions {
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  return { current: current ?? newest, update: newest };
}

async function writeStatus({ client, set }: StatefulSetSyncOptions, status: StatefulSet['status']): Promise<void> {
  if (deepEqual(status, set.status)) return;
  await client.update(StatefulSet, { ...set, status: status! }, { subresource: 'status' }).catch(ignoring(isNotFound));
}

interface Place {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** Pods that one sync creates at most; the rest follows in the next. */
const MAX_BURST = 500;

/** Returns the replicas in order, up to the last that one sync may create. */
function wantedPlaces(set: StatefulSet, pods: ReadonlyMap<number, Pod>): Place[] {
  const start = startOf(set);
  const places: Place[] = [];
  let empty = 0;
  for (let ordinal = start; ordinal < start + sizeOf(set) && empty < MAX_BURST; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod === undefined) empty++;
    places.push({ ordinal, pod });
  }
  return places;
}

/** True when the replicas after this one have to wait. */
type Waits = boolean;

/**
 * Replicas of a set, each with its pod or without. Processed in order, each waiting for its predecessors, or all at
 * once with the policy Parallel.
 */
class Places {
  readonly #options: StatefulSetSyncOptions;
  readonly #revisions: Revisions;
  /** Ordinals in range. */
  readonly #wanted: readonly Place[];
  /** Pods out of range, the last first. */
  readonly #condemned: { readonly ordinal: number; readonly pod: Pod }[];
  readonly #isOrdered: boolean;

  constructor(options: StatefulSetSyncOptions, revisions: Revisions, pods: readonly Pod[]) {
    const { set } = options;
    this.#options = options;
    this.#revisions = revisions;
    this.#isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
    const placed = pods.flatMap((pod) => {
      const ordinal = ordinalOf(set, pod);
      return ordinal === undefined ? [] : [{ ordinal, pod }];
    });
    const byOrdinal = new Map(placed.map(({ ordinal, pod }) => [ordinal, pod]));
    this.#wanted = wantedPlaces(set, byOrdinal);
    this.#condemned = placed.filter(({ ordinal }) => !isInRange(set, ordinal)).sort((a, b) => b.ordinal - a.ordinal);
  }

  async settle(): Promise<void> {
    const { set } = this.#options;
    if (await this.#each(this.#wanted, ({ ordinal, pod }) => this.#settlePlace(ordinal, pod))) return;
    for (const { ordinal, pod } of this.#condemned) await settleOwners(this.#options, pod, ordinal);
    const blocking = this.#firstNotServing();
    if (await this.#each(this.#condemned, ({ pod }) => this.#condemn(pod, blocking))) return;
    if (set.spec?.updateStrategy?.type !== 'OnDelete') await this.#update();
  }

  /** Processes replicas in order until one has to wait, or all of them. Returns whether one has to wait. */
  async #each<P>(places: readonly P[], settle: (place: P) => Promise<Waits>): Promise<Waits> {
    if (!this.#isOrdered) {
      const { error } = await slowStart(places.length, async (index) => void (await settle(places[index]!)));
      if (error !== undefined) throw error;
      return false;
    }
    for (const place of places) if (await settle(place)) return true;
    return false;
  }

  async #settlePlace(ordinal: number, pod: Pod | undefined): Promise<Waits> {
    const { set, nowMs } = this.#options;
    if (pod === undefined) return await this.#fill(ordinal);
    if (isEnded(pod)) {
      if (!isTerminating(pod)) await this.#remove(pod);
      return true;
    }
    if (pod.status?.phase === 'Pending') {
      await makeClaims(this.#options, ordinal);
      await this.#ownClaims(pod, ordinal);
    }
    if (this.#isOrdered && !isServing(set, pod, nowMs)) return true;
    await this.#correct(pod, ordinal);
    return false;
  }

  /** Corrects the identity labels of a pod and the owners of its claims. */
  async #correct(pod: Pod, ordinal: number): Promise<void> {
    const { set, client, tell } = this.#options;
    const { namespace, name = '', uid } = pod.metadata;
    const what = `Update Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      const labels = missingIdentity(pod, ordinal);
      if (labels !== undefined)
        await client.patch(Pod, { namespace, name }, { type: 'merge', body: { metadata: { uid, labels } } });
      const isChanged = await settleOwners(this.#options, pod, ordinal);
      if (isChanged || labels !== undefined) tell('Normal', 'SuccessfulUpdate', `${what} successful`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!isConflict(error)) tell('Warning', 'FailedUpdate', `${what} failed error: ${why}`);
      throw error;
    }
  }

  async #fill(ordinal: number): Promise<Waits> {
    const { set, client, tell, turn } = this.#options;
    if (await isClaimedByFormerPod(this.#options, ordinal)) return true;
    await turn();
    const revision = this.#revisionFor(ordinal);
    const pod = statefulPod(set, ordinal, templateOf(revision), revision.metadata.name ?? '');
    const what = `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    let made: Pod;
    try {
      await makeClaims(this.#options, ordinal);
      made = await client.create(Pod, pod);
    } catch (error) {
      if (isTerminatingNamespace(error)) return true;
      const why = error instanceof Error ? error.message : String(error);
      if (!isAlreadyExists(error)) tell('Warning', 'FailedCreate', `${what} failed error: ${why}`);
      throw error;
    }
    await this.#ownClaims(made, ordinal);
    tell('Normal', 'SuccessfulCreate', `${what} successful`);
    return this.#isOrdered;
  }

  async #ownClaims(pod: Pod, ordinal: number): Promise<void> {
    const { set, tell } = this.#options;
    try {
      await writeOwners(this.#options, pod, ordinal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const what = `Update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
      tell('Warning', 'FailedUpdate', `${what} failed error: ${why}`);
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

  #firstNotServing(): Pod | undefined {
    const { set, nowMs } = this.#options;
    const inOrder = [...this.#wanted, ...this.#condemned.toReversed()];
    return inOrder.find(({ pod }) => pod !== undefined && !isServing(set, pod, nowMs))?.pod;
  }

  async #condemn(pod: Pod, blocking: Pod | undefined): Promise<Waits> {
    const { set, nowMs } = this.#options;
    if (isTerminating(pod)) return true;
    const mayGo = pod === blocking || isServing(set, pod, nowMs);
    if (this.#isOrdered && !mayGo) return true;
    await this.#remove(pod);
    return true;
  }

  async #update(): Promise<void> {
    const { set, nowMs } = this.#options;
    const pods = this.#wanted.flatMap(({ pod }) => (pod === undefined ? [] : [pod]));
    if (pods.length < sizeOf(set)) return;
    for (const pod of outdatedPods(set, pods, this.#revisions.update.metadata.name ?? '', nowMs))
      await this.#remove(pod);
  }

  async #remove(pod: Pod): Promise<void> {
    const { client, set, tell } = this.#options;
    const what = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      if (await client.delete(Pod, pod)) tell('Normal', 'SuccessfulDelete', `${what} successful`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      tell('Warning', 'FailedDelete', `${what} failed error: ${why}`);
      throw error;
    }
  }
}
