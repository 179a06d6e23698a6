import type { Node, Pod, Taint } from '@pintle/kinds/core/v1';
import type { Amounts } from '@pintle/kinds/usage';
import { podAmounts, readAmounts } from '@pintle/kinds/usage';
import { Quantity } from '@pintle/machinery/quantity';
import { isNodeChosen } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/tolerations.ts';

const KEEPS_OUT = ['NoSchedule', 'NoExecute'] as const;
const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A node and what runs there. */
export interface Candidate {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly requested: Amounts;
}

/** Why a pod cannot run on a node, in kube-scheduler's words. `undefined`: it can. */
export function whyNot(pod: Pod, { node, pods, requested }: Candidate): string | undefined {
  return (
    whyUnschedulable(pod, node) ??
    whyTainted(pod, node) ??
    (isNodeChosen(pod.spec ?? { containers: [] }, node)
      ? undefined
      : "node(s) didn't match Pod's node affinity/selector") ??
    whyPortsTaken(pod, pods) ??
    whyFull(pod, node, pods, requested)
  );
}

function whyUnschedulable({ spec }: Pod, node: Node): string | undefined {
  if (!node.spec?.unschedulable) return undefined;
  return untoleratedTaint([UNSCHEDULABLE], spec?.tolerations, KEEPS_OUT) && 'node(s) were unschedulable';
}

function whyTainted({ spec }: Pod, node: Node): string | undefined {
  const taint = untoleratedTaint(node.spec?.taints, spec?.tolerations, KEEPS_OUT);
  return taint && `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
}

function whyPortsTaken(pod: Pod, others: readonly Pod[]): string | undefined {
  const taken = new Set(others.flatMap(hostPorts));
  return hostPorts(pod).some((port) => taken.has(port))
    ? "node(s) didn't have free ports for the requested pod ports"
    : undefined;
}

function hostPorts({ spec }: Pod): string[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol}/${hostPort}`] : [])),
  );
}

function whyFull(pod: Pod, node: Node, pods: readonly Pod[], requested: Amounts): string | undefined {
  const allocatable = readAmounts(node.status?.allocatable ?? node.status?.capacity);
  const places = allocatable.get('pods');
  if (places !== undefined && places.compare(new Quantity(BigInt(pods.length + 1))) < 0) return 'Too many pods';
  for (const [name, amount] of podAmounts(pod, 'requests')) {
    if (amount.isZero) continue;
    const used = requested.get(name) ?? new Quantity(0n);
    if (used.add(amount).compare(allocatable.get(name) ?? new Quantity(0n)) > 0) return `Insufficient ${name}`;
  }
  return undefined;
}
