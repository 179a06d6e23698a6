import type { Runnable } from '@pintle/async';
import { Node, Pod } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import { addDisruptionTarget, markPodFailed } from '../common/disruption-target.ts';
import { isTerminal } from '../common/pods.ts';

interface PodGarbageCollectorOptions {
  /** Number of ended pods that are kept; the oldest are deleted first. 0 keeps all. Default: 12,500. */
  readonly endedPods?: number;
  /** Interval of checks. Default: 20 s. */
  readonly periodMs?: number;
  /** Time that a node must be gone before its pods are deleted. Default: 40 s. */
  readonly quarantineMs?: number;
}

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** Deletes pods that no kubelet will: of nodes that are gone or out of service, and ended ones. */
export class PodGarbageCollector implements Runnable {
  readonly #manager: Manager;
  readonly #options: Required<PodGarbageCollectorOptions>;
  /** Times since when nodes of pods are missing. */
  readonly #missing = new Map<string, number>();

  constructor(manager: Manager, options: PodGarbageCollectorOptions = {}) {
    this.#manager = manager;
    this.#options = { endedPods: 12_500, periodMs: 20_000, quarantineMs: 40_000, ...options };
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { informers, clock } = this.#manager;
    const shares = [informers.share(Node), informers.share(Pod)];
    try {
      while (!signal.aborted) {
        await clock.sleep(this.#options.periodMs, { signal }).catch(() => undefined);
        if (!signal.aborted && shares.every(({ informer }) => informer.isSynced)) await this.#collect();
      }
    } finally {
      for (const share of shares) share[Symbol.dispose]();
    }
  }

  async #collect(): Promise<void> {
    const { client } = this.#manager;
    const pods = await client.list(Pod);
    const nodes = new Map((await client.list(Node)).map((node) => [node.metadata.name ?? '', node]));
    for (const pod of this.#excessTerminated(pods)) await this.#remove(pod);
    for (const pod of pods.filter((other) => isOutOfService(other, nodes))) await this.#remove(pod);
    const gone = await this.#goneNodes(pods, nodes);
    for (const pod of pods)
      if (gone.has(pod.spec?.nodeName ?? '')) await this.#remove(pod, 'PodGC: node no longer exists');
    for (const pod of pods) if (pod.metadata.deletionTimestamp && !pod.spec?.nodeName) await this.#remove(pod);
  }

  #excessTerminated(pods: readonly Pod[]): Pod[] {
    const { endedPods } = this.#options;
    const ended = pods.filter((pod) => isTerminal(pod) && !pod.metadata.deletionTimestamp);
    if (endedPods <= 0 || ended.length <= endedPods) return [];
    const createdAt = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
    return ended.sort((a, b) => createdAt(a) - createdAt(b)).slice(0, ended.length - endedPods);
  }

  /**
   * The cache may be stale and nodes may come back: a node is gone when it is missing for a while and the server
   * confirms it.
   */
  async #goneNodes(pods: readonly Pod[], nodes: ReadonlyMap<string, Node>): Promise<Set<string>> {
    const { client, clock } = this.#manager;
    const missing = new Set(pods.flatMap(({ spec }) => (spec?.nodeName ? [spec.nodeName] : [])));
    for (const name of nodes.keys()) missing.delete(name);
    for (const name of this.#missing.keys()) if (!missing.has(name)) this.#missing.delete(name);
    const gone = new Set<string>();
    for (const name of missing) {
      const sinceMs = this.#missing.get(name) ?? clock.now();
      this.#missing.set(name, sinceMs);
      if (clock.now() - sinceMs < this.#options.quarantineMs) continue;
      if ((await client.live.find(Node, { name })) === undefined) gone.add(name);
    }
    return gone;
  }

  async #remove(pod: Pod, disruptionMessage?: string): Promise<void> {
    const { client, clock, log } = this.#manager;
    try {
      const reason = 'DeletionByPodGC';
      if (!isTerminal(pod))
        await (disruptionMessage === undefined
          ? markPodFailed(client, pod)
          : addDisruptionTarget(client, pod, {
              reason,
              message: disruptionMessage,
              nowMs: clock.now(),
              marksFailed: true,
            }));
      await client.delete(Pod, pod, { gracePeriodSeconds: 0 });
    } catch (cause) {
      if (isNotFound(cause) || isConflict(cause)) return;
      const { namespace, name } = pod.metadata;
      log.warn('Cannot delete pod', {
        namespace,
        name,
        error: cause instanceof Error ? cause.message : `${cause}`,
      });
    }
  }
}

/** True when the pod is terminating on a node with the out-of-service taint that is not ready. */
function isOutOfService({ metadata, spec }: Pod, nodes: ReadonlyMap<string, Node>): boolean {
  const node = metadata.deletionTimestamp ? nodes.get(spec?.nodeName ?? '') : undefined;
  if (node === undefined) return false;
  const isReady = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return !isReady && (node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false);
}
