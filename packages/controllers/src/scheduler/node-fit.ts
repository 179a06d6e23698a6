import type { Node, Pod, Taint } from '@pintle/kinds/core/v1';
import { readAmounts } from '@pintle/kinds/usage';
import { Quantity } from '@pintle/machinery/quantity';
import { isNodeChosen } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/nodes.ts';
import { hostPortsOf, type NodeUse, requestsOf } from './node-use.ts';

const KEEPS_OUT = ['NoSchedule', 'NoExecute'] as const;
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A node and its pods. */
export interface Candidate {
  readonly node: Node;
  readonly use: NodeUse;
}

/** Reason why a pod cannot be scheduled to a node. */
export interface Refusal {
  /** Reason in kube-scheduler's words. */
  readonly reason: string;
  /** True when preemption could help. */
  readonly isForWantOfRoom: boolean;
}

/** Returns why the node itself does not fit the pod; `undefined` when it does. */
export function whyNot(pod: Pod, { node, use }: Candidate): Refusal | undefined {
  const refused = whyUnschedulable(pod, node) ?? whyTainted(pod, node) ?? whyNotChosen(pod, node);
  if (refused !== undefined) return { reason: refused, isForWantOfRoom: false };
  const full = whyPortsTaken(pod, use) ?? whyFull(pod, node, use);
  return full === undefined ? undefined : { reason: full, isForWantOfRoom: true };
}

function whyUnschedulable({ spec }: Pod, node: Node): string | undefined {
  if (!node.spec?.unschedulable) return undefined;
  return untoleratedTaint([UNSCHEDULABLE], spec?.tolerations, KEEPS_OUT) && 'node(s) were unschedulable';
}

function whyTainted({ spec }: Pod, node: Node): string | undefined {
  const taint = untoleratedTaint(node.spec?.taints, spec?.tolerations, KEEPS_OUT);
  return taint && `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

function whyNotChosen({ spec = { containers: [] } }: Pod, node: Node): string | undefined {
  return isNodeChosen(spec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

function whyPortsTaken(pod: Pod, use: NodeUse): string | undefined {
  return hostPortsOf(pod).some((port) => use.hasPort(port))
    ? "node(s) didn't have free ports for the requested pod ports"
    : undefined;
}

function whyFull(pod: Pod, node: Node, use: NodeUse): string | undefined {
  const allocatable = allocatableOf(node);
  const places = allocatable.get('pods');
  if (places !== undefined && places.compare(new Quantity(BigInt(use.size + 1))) < 0) return 'Too many pods';
  for (const [name, amount] of requestsOf(pod)) {
    if (amount.isZero) continue;
    const total = allocatable.get(name) ?? new Quantity(0n);
    if (use.requested(name).add(amount).compare(total) > 0) return `Insufficient ${name}`;
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
