import { defineIndex } from '@pintle/client';
import { Pod, type PodCondition, type PodTemplateSpec } from '@pintle/kinds/core/v1';
import type { Cached, KubernetesObject, OwnerReference } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';
import type { Manager } from '@pintle/operator';

/** True when the pod runs or will run and is not being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return !isTerminal({ metadata, status } as Pod) && metadata.deletionTimestamp === undefined;
}

export function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Returns when the pod has been ready for `minReadySeconds`; `undefined` while it is not ready. */
export function availableAtMs(pod: Pod, minReadySeconds: number): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(condition.lastTransitionTime ?? '');
  return Number.isNaN(since) ? undefined : since + minReadySeconds * 1_000;
}

export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const atMs = availableAtMs(pod, minReadySeconds);
  return atMs !== undefined && atMs <= nowMs;
}

/** Returns the largest restart count of the pod's containers. */
export function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount));
}

const BY_NODE = defineIndex(Pod, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));

/** Returns the pods that are bound to a node, by index, from the cache; none while pods are not watched. */
export function podsOnNode({ informers }: Manager, name: string): Cached<Pod, 'Namespaced'>[] {
  return informers.find(Pod)?.cache.list({ index: BY_NODE.is(name) }) ?? [];
}

/** Returns the pod of a template, controlled by the owner. The server generates its name. */
export function podFromTemplate(
  template: PodTemplateSpec,
  owner: KubernetesObject,
  reference: OwnerReference,
): Omit<Pod, 'apiVersion' | 'kind'> {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { namespace, name = '' } = owner.metadata;
  return {
    metadata: {
      ...(namespace && { namespace }),
      generateName: generateNameOf(name),
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [reference],
    },
    ...(template.spec && { spec: deepCopy(template.spec) }),
  };
}

/** Returns no prefix when it would make the pods' names invalid: it was chosen for another object. */
function generateNameOf(name: string): string {
  return `${name}-`;
}
