import type { Node, Pod, Taint } from '@pintle/kinds/core/v1';
import { readAmounts } from '@pintle/kinds/usage';
import { Quantity } from '@pintle/machinery/quantity';
import { matchesNodeAffinity } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/nodes.ts';
import { hostPortsOf, type NodeInfo, requestsOf } from './node-info.ts';

const SCHEDULING_EFFECTS = ['NoSchedule', 'NoExecute'] as const;
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A node and its pods. */
export interface Candidate {
  readonly node: Node;
  readonly info: NodeInfo;
}

/** Reason why a pod cannot be scheduled to a node. */
export interface Refusal {
  /** Reason in kube-scheduler's words. */
  readonly reason: string;
  /** True when preemption could help. */
  readonly isResolvableByPreemption: boolean;
}

/** Returns why the node itself does not fit the pod; `undefined` when it does. */
export function refusalOf(pod: Pod, { node, info }: Candidate): Refusal | undefined {
  const refused = refusalOfUnschedulable(pod, node) ?? refusalOfTaints(pod, node) ?? refusalOfAffinity(pod, node);
  if (refused !== undefined) return { reason: refused, isResolvableByPreemption: false };
  const full = refusalOfPorts(pod, info) ?? refusalOfResources(pod, node, info);
  return full === undefined ? undefined : { reason: full, isResolvableByPreemption: true };
}

function refusalOfUnschedulable({ spec }: Pod, node: Node): string | undefined {
  if (!node.spec?.unschedulable) return undefined;
  return untoleratedTaint([UNSCHEDULABLE], spec?.tolerations, SCHEDULING_EFFECTS) && 'node(s) were unschedulable';
}

function refusalOfTaints({ spec }: Pod, node: Node): string | undefined {
  const taint = untoleratedTaint(node.spec?.taints, spec?.tolerations, SCHEDULING_EFFECTS);
  return taint && `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

function refusalOfAffinity({ spec = { containers: [] } }: Pod, node: Node): string | undefined {
  return matchesNodeAffinity(spec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

function refusalOfPorts(pod: Pod, info: NodeInfo): string | undefined {
  return hostPortsOf(pod).some((port) => info.hasPort(port))
    ? "node(s) didn't have free ports for the requested pod ports"
    : undefined;
}

function refusalOfResources(pod: Pod, node: Node, info: NodeInfo): string | undefined {
  const allocatable = allocatableOf(node);
  const places = allocatable.get('pods');
  if (places !== undefined && places.compare(new Quantity(BigInt(info.size + 1))) < 0) return 'Too many pods';
  for (const [name, amount] of requestsOf(pod)) {
    if (amount.isZero) continue;
    const total = allocatable.get(name) ?? new Quantity(0n);
    if (info.requested(name).add(amount).compare(total) > 0) return `Insufficient ${name}`;
  }
  return undefined;
}

const ALLOCATABLE = new WeakMap<Node, ReturnType<typeof readAmounts>>();

/** Cached, because nodes are evaluated far more often than they change. */
export function allocatableOf(node: Node): ReturnType<typeof readAmounts> {
  const known = ALLOCATABLE.get(node) ?? readAmounts(node.status?.allocatable ?? node.status?.capacity);
  ALLOCATABLE.set(node, known);
  return known;
}
