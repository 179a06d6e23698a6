import type { CachedClient } from '@pintle/client';
import { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import { controllerRef, isControlledBy } from '../common/owners.ts';
import type { RecordEvent } from '../common/record-event.ts';
import { templateHash } from '../template-hash/hash.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, newestAnnotations, nextRevision, REVISION } from './revisions.ts';
import { isSameTemplate, TEMPLATE_HASH } from './rollback.ts';
import { boundsOf, desiredReplicas, newReplicaSetSize, replicasOf, sortedByAge } from './sizes.ts';
import { conditionOf, hasDeadline, withCondition } from './status.ts';

/** One sync of a Deployment: its state, its ReplicaSets, and the operations that change them. */
export class DeploymentSync {
  readonly client: CachedClient;
  readonly nowMs: number;
  readonly #record: RecordEvent;
  /** Deployment as last written. */
  deployment: Deployment;
  newest: ReplicaSet | undefined;
  /** All ReplicaSets but the newest. */
  old: ReplicaSet[];
  /** A ReplicaSet was created or scaled. */
  isChanged = false;

  constructor(options: {
    readonly client: CachedClient;
    readonly record: RecordEvent;
    readonly nowMs: number;
    readonly deployment: Deployment;
    readonly sets: readonly ReplicaSet[];
  }) {
    this.client = options.client;
    this.#record = options.record;
    this.nowMs = options.nowMs;
    this.deployment = options.deployment;
    const template = options.deployment.spec?.template;
    this.newest = sortedByAge(options.sets).find(
      ({ spec }) => spec?.template && template && isSameTemplate(spec.template, template),
    );
    this.old = options.sets.filter((set) => set !== this.newest);
  }

  get all(): ReplicaSet[] {
    return this.newest === undefined ? this.old : [...this.old, this.newest];
  }

  get activeOld(): ReplicaSet[] {
    return this.old.filter((set) => replicasOf(set) > 0);
  }

  /**
   * Updates the revision and annotations of the newest ReplicaSet. Creates it when it is missing and `createIfNotExisted` is true.
   */
  async syncNewReplicaSet({ createIfNotExisted }: { readonly createIfNotExisted: boolean }): Promise<void> {
    if (this.newest !== undefined) await this.#updateNewest(this.newest);
    else if (createIfNotExisted) await this.#createNewest();
  }

  /**
   * Scales a ReplicaSet and updates the annotations that have the Deployment's desired size. Returns whether the size
   * changed.
   */
  async scaleReplicaSet(set: ReplicaSet, size: number): Promise<boolean> {
    return replicasOf(set) !== size && (await this.updateReplicaSetSize(set, size));
  }

  /** Like `scaleReplicaSet`, but also updates the annotations of a ReplicaSet that has its size. */
  async updateReplicaSetSize(set: ReplicaSet, size: number): Promise<boolean> {
    const before = replicasOf(set);
    const annotations = { ...set.metadata.annotations, ...this.#sizeAnnotations() };
    if (before === size && deepEqual(annotations, set.metadata.annotations)) return false;
    const next = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec!, replicas: size } };
    this.#replace(set, await this.client.update(ReplicaSet, next));
    if (before === size) return false;
    this.isChanged = true;
    this.#recordScaled(set, before, size);
    return true;
  }

  /** Writes the Deployment's status, and annotations if given, when they changed. */
  async writeStatus(status: NonNullable<Deployment['status']>, annotations?: Record<string, string>): Promise<void> {
    const { metadata } = this.deployment;
    const next = { ...this.deployment, status, metadata: { ...metadata, ...(annotations && { annotations }) } };
    if (deepEqual(sorted(next), sorted(this.deployment))) return;
    this.deployment = await this.client.update(Deployment, next, { subresource: 'status' });
  }

  /** Writes the Deployment without its status. */
  async writeDeployment(next: Deployment): Promise<void> {
    this.deployment = await this.client.update(Deployment, next);
  }

  /** Records an event about the Deployment. */
  recordEvent(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#record(Deployment, this.deployment, { type, reason, message });
  }

  async #updateNewest(newest: ReplicaSet): Promise<void> {
    const { annotations: before } = newest.metadata;
    const revision = nextRevision(this.old);
    const annotations = newestAnnotations(this.deployment, revision, before);
    const minReadySeconds = this.deployment.spec?.minReadySeconds ?? 0;
    if (!deepEqual(annotations, before ?? {}) || (newest.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      const spec = { ...newest.spec!, minReadySeconds };
      const metadata = { ...newest.metadata, annotations };
      this.#replace(newest, await this.client.update(ReplicaSet, { ...newest, metadata, spec }));
    }
    await this.#recordRevision(this.newest!, 'FoundNewReplicaSet', `Found new replica set "${newest.metadata.name}"`);
  }

  async #recordRevision(newest: ReplicaSet, reason: string, message: string): Promise<void> {
    const revision = newest.metadata.annotations?.[REVISION] ?? '';
    const { annotations = {} } = this.deployment.metadata;
    const { status = {} } = this.deployment;
    const isRevisionRecorded = annotations[REVISION] === revision;
    const hasCondition = !hasDeadline(this.deployment) || conditionOf(status, 'Progressing') !== undefined;
    const needsCondition = hasDeadline(this.deployment) && (reason === 'NewReplicaSetCreated' || !hasCondition);
    if (isRevisionRecorded && !needsCondition) return;
    const condition = { type: 'Progressing', status: 'True', reason, message };
    const before = status.conditions ?? [];
    const conditions = needsCondition ? withCondition(before, condition, this.nowMs) : before;
    await this.writeStatus({ ...status, conditions }, { ...annotations, [REVISION]: revision });
  }

  async #createNewest(): Promise<void> {
    const { metadata, spec, status = {} } = this.deployment;
    const hash = templateHash(spec!.template!, status.collisionCount);
    const set = this.#newReplicaSet(hash);
    try {
      this.newest = await this.client.create(ReplicaSet, set);
    } catch (error) {
      if (!isAlreadyExists(error)) return await this.#recordCreateError(error);
      const found = await this.client.live.find(ReplicaSet, { namespace: metadata.namespace, name: set.metadata.name });
      if (found === undefined) throw error;
      if (isControlledBy(found, this.deployment) && isSameTemplate(found.spec!.template!, spec!.template!)) {
        this.newest = found;
        return;
      }
      await this.writeStatus({ ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
      throw new Error(`Cannot create ReplicaSet: name ${set.metadata.name} is taken by another template`);
    }
    this.isChanged = true;
    if (replicasOf(this.newest) > 0) this.#recordScaled(this.newest, 0, replicasOf(this.newest));
    const message = `Created new replica set "${this.newest.metadata.name}"`;
    await this.#recordRevision(this.newest, 'NewReplicaSetCreated', message);
  }

  #newReplicaSet(hash: string) {
    const { metadata, spec } = this.deployment;
    const template = deepCopy(spec!.template!);
    const labels = { ...template.metadata?.labels, [TEMPLATE_HASH]: hash };
    template.metadata = { ...template.metadata, labels };
    const { minReadySeconds, selector } = spec!;
    return {
      metadata: {
        namespace: metadata.namespace!,
        name: `${metadata.name}-${hash}`,
        labels,
        annotations: { ...newestAnnotations(this.deployment, nextRevision(this.old)), ...this.#sizeAnnotations() },
        ownerReferences: [controllerRef(Deployment, this.deployment)],
      },
      spec: {
        replicas: newReplicaSetSize(this.deployment, this.old, 0),
        ...(minReadySeconds !== undefined && { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, [TEMPLATE_HASH]: hash } },
        template,
      },
    };
  }

  async #recordCreateError(error: unknown): Promise<never> {
    const why = error instanceof Error ? error.message : String(error);
    const message = `Failed to create new replica set "${this.deployment.metadata.name}": ${why}`;
    const { status = {} } = this.deployment;
    const condition = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message };
    if (hasDeadline(this.deployment))
      await this.writeStatus({ ...status, conditions: withCondition(status.conditions ?? [], condition, this.nowMs) });
    this.recordEvent('Warning', 'ReplicaSetCreateError', message);
    throw error;
  }

  #sizeAnnotations(): Record<string, string> {
    const wanted = desiredReplicas(this.deployment);
    return { [DESIRED_REPLICAS]: String(wanted), [MAX_REPLICAS]: String(wanted + boundsOf(this.deployment).maxSurge) };
  }

  #recordScaled({ metadata }: ReplicaSet, before: number, size: number): void {
    const message = `Scaled ${size > before ? 'up' : 'down'} replica set ${metadata.name} from ${before} to ${size}`;
    this.recordEvent('Normal', 'ScalingReplicaSet', message);
  }

  #replace(set: ReplicaSet, next: ReplicaSet): void {
    if (this.newest === set) this.newest = next;
    else this.old = this.old.map((other) => (other === set ? next : other));
  }
}

/** Sorts the conditions, whose order does not matter. */
function sorted({ metadata, status }: Deployment): object {
  const conditions = [...(status?.conditions ?? [])].sort((a, b) => (a.type < b.type ? -1 : 1));
  return { annotations: metadata.annotations ?? {}, status: { ...status, conditions } };
}
