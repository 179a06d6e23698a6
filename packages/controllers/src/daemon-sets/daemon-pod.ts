import type { NewObject } from '@pintle/client';
import { DaemonSet } from '@pintle/kinds/apps/v1';
import type { Affinity, Node, Pod, PodSpec, Toleration } from '@pintle/kinds/core/v1';
import { matchesNodeAffinity } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/nodes.ts';
import { controllerRef } from '../common/owners.ts';
import { podFromTemplate } from '../common/pods.ts';

export const HASH = 'controller-revision-hash';
const GENERATION = 'pod-template-generation';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Tolerations of all daemon pods: they stay on unhealthy nodes and run on nodes where other pods may not. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Returns the pod of a set for one node. Its node affinity lets the scheduler bind it to that node only. */
export function daemonPod(set: DaemonSet, nodeName: string, hash: string): NewObject<Pod> {
  const pod = podFromTemplate(set.spec!.template, set, controllerRef(DaemonSet, set));
  const generation = templateGeneration(set);
  const labels = {
    ...pod.metadata.labels,
    ...(generation !== undefined && { [GENERATION]: generation }),
    [HASH]: hash,
  };
  const spec = pod.spec ?? { containers: [] };
  const pinned = { ...spec, affinity: pinnedTo(spec.affinity, nodeName), tolerations: tolerationsOf(spec) };
  return { ...pod, metadata: { ...pod.metadata, labels }, spec: pinned };
}

/** Returns the node that a pod is bound to, or pinned to by its affinity. */
export function targetNodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const field = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator, values }) => key === 'metadata.name' && operator === 'In' && values?.length === 1);
  return field?.values?.[0];
}

export function isUpdated({ metadata: { labels = {} } }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = templateGeneration(set);
  return labels[HASH] === hash || (generation !== undefined && labels[GENERATION] === generation);
}

export interface NodeEligibility {
  readonly shouldRun: boolean;
  /** True when a pod that is there may stay. */
  readonly shouldContinueRunning: boolean;
}

/** Decides for each node, by name, whether it should run a pod of the set. */
export function nodeEligibility({ spec }: DaemonSet, nodes: readonly Node[]): Map<string, NodeEligibility> {
  const pod = spec!.template.spec ?? { containers: [] };
  const tolerations = tolerationsOf(pod);
  return new Map(nodes.map((node) => [node.metadata.name ?? '', eligibilityOf(pod, tolerations, node)]));
}

function eligibilityOf(pod: PodSpec, tolerations: readonly Toleration[], node: Node): NodeEligibility {
  const isSchedulingChanged = pod.nodeName !== undefined && pod.nodeName !== '' && pod.nodeName !== node.metadata.name;
  if (isSchedulingChanged || !matchesNodeAffinity(pod, node)) return { shouldRun: false, shouldContinueRunning: false };
  const { taints } = node.spec ?? {};
  return {
    shouldRun: untoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined,
    shouldContinueRunning: untoleratedTaint(taints, tolerations, ['NoExecute']) === undefined,
  };
}

function templateGeneration({ metadata: { annotations } }: DaemonSet): string | undefined {
  const text = annotations?.[TEMPLATE_GENERATION];
  return text !== undefined && /^\d{1,18}$/.test(text) ? text : undefined;
}

function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = hostNetwork ? [...DAEMON_TOLERATIONS, NETWORK_TOLERATION] : DAEMON_TOLERATIONS;
  const isSame = (a: Toleration, b: Toleration): boolean =>
    a.key === b.key && a.effect === b.effect && a.operator === b.operator && (a.value ?? '') === (b.value ?? '');
  const replaced = tolerations.map((toleration) => added.find((other) => isSame(other, toleration)) ?? toleration);
  return [...replaced, ...added.filter((toleration) => !tolerations.some((other) => isSame(other, toleration)))];
}

function pinnedTo(affinity: Affinity | undefined, nodeName: string): Affinity {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }] };
  const required = { nodeSelectorTerms: [term] };
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...affinity, nodeAffinity };
}
