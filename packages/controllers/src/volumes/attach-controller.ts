import type { CachedClient } from '@pintle/client';
import { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { CSIDriver, VolumeAttachment } from '@pintle/kinds/storage/v1';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager, Request, Result } from '@pintle/operator';
import { smallest } from '../common/extremes.ts';
import { isNodeReady } from '../common/nodes.ts';
import { isTerminal, podsOnNode } from '../common/pods.ts';
import { eventRecorder, type RecordEvent } from '../common/record-event.ts';
import { attachmentName, isExclusive, volumeNameOnNode } from './attachment.ts';
import { claimsOf } from './sync-claim.ts';

const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
/** Time to wait for a node that is not ready to unmount a volume that no pod uses there. */
const MAX_UNMOUNT_MS = 6 * 60_000;

/**
 * Attaches volumes of pods to their nodes by VolumeAttachments, and detaches those that no pod uses any more. Reports
 * attached volumes in the nodes' status. Ignores VolumeAttachments of others.
 */
export function addVolumeAttachController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'attachdetach-controller');
  const recorded = new Set<string>();
  const unused = new Map<string, ReadonlyMap<string, number>>();
  return manager
    .controller(Node, 'persistentvolume-attach-detach')
    .filter(
      (change) =>
        change.type !== 'updated' ||
        isManaged(change.object) !== isManaged(change.previous) ||
        isNodeReady(change.object) !== isNodeReady(change.previous) ||
        isOutOfService(change.object) !== isOutOfService(change.previous) ||
        !deepEqual(change.object.status?.volumesInUse, change.previous.status?.volumesInUse),
    )
    .watches(Pod, (pod) => (claimsOf(pod).length > 0 ? nodesOf([pod]) : []))
    .watches(VolumeAttachment, ({ spec }) => [{ name: spec.nodeName }, ...nodesWaitingFor(manager, spec.source)])
    .watches(PersistentVolumeClaim, (claim) => nodesOf(podsUsing(manager, claim)))
    .watches(PersistentVolume, ({ spec }) => nodesUsing(manager, spec?.claimRef))
    .watches(CSIDriver, () => [])
    .reconcileRequests(async ({ name }, { client, clock }) => {
      const node = await client.find(Node, { name });
      const nowMs = clock.now();
      return await new NodeVolumesSync({ manager, client, record, recorded, unused, nowMs, name, node }).run();
    });
}

function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.[MANAGED] === 'true';
}

function isOutOfService({ spec }: Node): boolean {
  return spec?.taints?.some(({ key, effect }) => key === OUT_OF_SERVICE && effect === 'NoExecute') ?? false;
}

function nodesOf(pods: readonly Pod[]): Request[] {
  return pods.flatMap(({ spec }) => (spec?.nodeName ? [{ name: spec.nodeName }] : []));
}

function podsUsing({ informers }: Manager, { metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): Pod[] {
  const pods = informers.find(Pod)?.cache.list({ namespace }) ?? [];
  return pods.filter((pod) => claimsOf(pod).includes(name));
}

function nodesUsing(
  { informers }: Manager,
  claim: { readonly namespace?: string; readonly name?: string } | undefined,
): Request[] {
  if (claim === undefined) return [];
  const pods = informers.find(Pod)?.cache.list({ namespace: claim.namespace ?? '' }) ?? [];
  return nodesOf(pods.filter((pod) => claimsOf(pod).includes(claim.name ?? '')));
}

/** Nodes that may wait for a volume which another node has. */
function nodesWaitingFor(
  manager: Manager,
  { persistentVolumeName: name }: VolumeAttachment['spec']['source'],
): Request[] {
  const volume = name === undefined ? undefined : manager.informers.find(PersistentVolume)?.cache.get({ name });
  return nodesUsing(manager, volume?.spec?.claimRef);
}

interface Dependencies {
  readonly manager: Manager;
  readonly client: CachedClient;
  readonly record: RecordEvent;
  /** Events that were recorded, so that they are not recorded in every sync. */
  readonly recorded: Set<string>;
  /** Times since when attached volumes are unused, by node and attachment. */
  readonly unused: Map<string, ReadonlyMap<string, number>>;
  readonly nowMs: number;
  readonly name: string;
  readonly node: Node | undefined;
}

/** A volume and the pods on the node that use it. */
interface UsedVolume {
  readonly volume: PersistentVolume;
  readonly pods: Pod[];
}

const MAX_RECORDED = 10_000;

/** One sync of the volumes of a node. */
class NodeVolumesSync {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async run(): Promise<Result | undefined> {
    const { node } = this.#dependencies;
    if (node !== undefined && !isManaged(node)) return undefined;
    const used = await this.#usedOnNode();
    const attachments = await this.#ownAttachments();
    const kept: string[] = [];
    for (const [id, use] of used) {
      const attachment = attachments.get(id);
      if (attachment === undefined) await this.#attach(id, use);
      else if (this.#isAttached(use, attachment)) kept.push(volumeNameOnNode(use.volume));
    }
    const unused = [...attachments].filter(([id]) => !used.has(id));
    const since = this.#unusedSince(unused.map(([id]) => id));
    const waits = unused.map(([id, { onNode }]) => this.#untilDetachedMs(onNode, since.get(id)!));
    for (const [index, [, { onNode }]] of unused.entries()) if (waits[index]! > 0) kept.push(onNode);
    await this.#updateVolumesAttached(kept);
    for (const [index, [, { attachment }]] of unused.entries())
      if (waits[index] === 0 && !attachment.metadata.deletionTimestamp)
        await this.#dependencies.client.delete(VolumeAttachment, attachment);
    const next = smallest(waits.filter((waitMs) => waitMs > 0));
    return next === undefined ? undefined : { requeueAfterMs: next };
  }

  /** Records since when volumes are unused, and forgets the others. */
  #unusedSince(ids: readonly string[]): ReadonlyMap<string, number> {
    const { unused, name, nowMs } = this.#dependencies;
    const since = new Map(ids.map((id) => [id, unused.get(name)?.get(id) ?? nowMs]));
    if (since.size > 0) unused.set(name, since);
    else unused.delete(name);
    return since;
  }

  /**
   * Returns the time until a volume is detached. One that is still mounted stays, unless the node is out of service, or
   * not ready for too long. 0: at once; Infinity: while the node is healthy.
   */
  #untilDetachedMs(onNode: string, sinceMs: number): number {
    const { node, nowMs } = this.#dependencies;
    if (node === undefined || isOutOfService(node) || !node.status?.volumesInUse?.includes(onNode)) return 0;
    return isNodeReady(node) ? Number.POSITIVE_INFINITY : Math.max(0, sinceMs + MAX_UNMOUNT_MS - nowMs);
  }

  async #usedOnNode(): Promise<Map<string, UsedVolume>> {
    const { manager, client, name, node } = this.#dependencies;
    const used = new Map<string, UsedVolume>();
    for (const pod of node === undefined ? [] : podsOnNode(manager, name)) {
      if (isTerminal(pod)) continue;
      for (const claimName of claimsOf(pod)) {
        const volume = await boundVolume(client, pod.metadata.namespace, claimName);
        const id = volume && attachmentName(volume, name);
        if (volume === undefined || id === undefined || !(await needsAttaching(client, volume))) continue;
        const use = used.get(id) ?? { volume, pods: [] };
        used.set(id, use);
        use.pods.push(pod);
      }
    }
    return used;
  }

  /** Returns the attachments of this node that this controller created, by their names. */
  async #ownAttachments(): Promise<Map<string, { readonly attachment: VolumeAttachment; readonly onNode: string }>> {
    const { client, name } = this.#dependencies;
    const ours = new Map<string, { attachment: VolumeAttachment; onNode: string }>();
    for (const attachment of await client.list(VolumeAttachment)) {
      const volumeName = attachment.spec.source.persistentVolumeName;
      if (attachment.spec.nodeName !== name || volumeName === undefined) continue;
      const volume = await client.find(PersistentVolume, { name: volumeName });
      const id = volume && attachmentName(volume, name);
      if (volume !== undefined && id !== undefined && id === attachment.metadata.name)
        ours.set(id, { attachment, onNode: volumeNameOnNode(volume) });
    }
    return ours;
  }

  async #attach(id: string, use: UsedVolume): Promise<void> {
    const { client, name } = this.#dependencies;
    const { volume } = use;
    const { name: persistentVolumeName = '' } = volume.metadata;
    const attachments = await client.list(VolumeAttachment);
    const elsewhere = attachments.filter(({ spec }) => spec.source.persistentVolumeName === persistentVolumeName);
    if (isExclusive(volume) && elsewhere.length > 0) return this.#recordMultiAttach(id, use, elsewhere);
    const attacher = volume.spec?.csi?.driver ?? '';
    try {
      const spec = { attacher, nodeName: name, source: { persistentVolumeName } };
      await client.create(VolumeAttachment, { metadata: { name: id }, spec });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  #recordMultiAttach(id: string, { volume, pods }: UsedVolume, elsewhere: readonly VolumeAttachment[]): void {
    const claim = volume.spec?.claimRef;
    const users = elsewhere.flatMap(({ spec }) =>
      podsOnNode(this.#dependencies.manager, spec.nodeName).filter(
        (pod) =>
          pod.metadata.namespace === claim?.namespace && !isTerminal(pod) && claimsOf(pod).includes(claim?.name ?? ''),
      ),
    );
    const why =
      users.length === 0
        ? 'Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node'
        : `Volume is already used by pod(s) ${users.map(({ metadata }) => metadata.name).join(', ')}`;
    this.#recordEvent(id, pods, 'Warning', `Waiting for detach for volume "${volume.metadata.name}" ${why}`);
  }

  /** Returns whether the volume is attached, and records an event when it was just attached or failed. */
  #isAttached({ volume, pods }: UsedVolume, { attachment }: { readonly attachment: VolumeAttachment }): boolean {
    const { name } = volume.metadata;
    const { attached, attachError } = attachment.status ?? {};
    const id = attachment.metadata.uid ?? '';
    if (attached === true && !this.#isReported(volume))
      this.#recordEvent(id, pods, 'Normal', `AttachVolume.Attach succeeded for volume "${name}" `);
    else if (attached !== true && attachError !== undefined)
      this.#recordEvent(
        id,
        pods,
        'Warning',
        `AttachVolume.Attach failed for volume "${name}" : ${attachError.message ?? ''}`,
      );
    return attached === true;
  }

  /** True when the node's status lists the volume: its event was recorded before a restart. */
  #isReported(volume: PersistentVolume): boolean {
    const onNode = volumeNameOnNode(volume);
    return this.#dependencies.node?.status?.volumesAttached?.some(({ name }) => name === onNode) ?? false;
  }

  #recordEvent(id: string, pods: readonly Pod[], type: 'Normal' | 'Warning', message: string): void {
    const { recorded, record } = this.#dependencies;
    const key = `${id} ${message}`;
    if (recorded.has(key)) return;
    if (recorded.size >= MAX_RECORDED) recorded.clear();
    recorded.add(key);
    const reason = type === 'Normal' ? 'SuccessfulAttachVolume' : 'FailedAttachVolume';
    for (const pod of pods) record(Pod, pod, { type, reason, message });
  }

  async #updateVolumesAttached(names: readonly string[]): Promise<void> {
    const { client, node, name } = this.#dependencies;
    if (node === undefined) return;
    const volumesAttached = [...new Set(names)].sort().map((each) => ({ name: each, devicePath: '' }));
    if (deepEqual(volumesAttached, node.status?.volumesAttached ?? [])) return;
    const body = { status: { volumesAttached: volumesAttached.length > 0 ? volumesAttached : null } };
    await client.patch(Node, { name }, { type: 'merge', body }, { subresource: 'status' });
  }
}

async function boundVolume(
  client: CachedClient,
  namespace: string | undefined,
  name: string,
): Promise<PersistentVolume | undefined> {
  const claim = await client.find(PersistentVolumeClaim, { namespace, name });
  if (claim?.status?.phase !== 'Bound' || !claim.spec?.volumeName) return undefined;
  const volume = await client.find(PersistentVolume, { name: claim.spec.volumeName });
  return volume?.spec?.claimRef?.uid === claim.metadata.uid ? volume : undefined;
}

/** True unless the CSIDriver sets `attachRequired` to false. */
async function needsAttaching(client: CachedClient, { spec }: PersistentVolume): Promise<boolean> {
  const driver = await client.find(CSIDriver, { name: spec?.csi?.driver ?? '' });
  return driver?.spec.attachRequired !== false;
}
