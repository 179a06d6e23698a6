import type { Node, Pod, Taint, Toleration } from '@pintle/kinds/core/v1';
import type { Amounts } from '@pintle/kinds/usage';
import { podAmounts, readAmounts } from '@pintle/kinds/usage';
import { Quantity } from '@pintle/machinery/quantity';
import { matchesNodeSelector } from './node-selector.ts';

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
    (isSelected(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector") ??
    whyPortsTaken(pod, pods) ??
    whyFull(pod, node, pods, requested)
  );
}

export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(
    ({ key = '', operator = 'Equal', value = '', effect }) =>
      (!effect || effect === taint.effect) &&
      (key === '' ? operator === 'Exists' : key === taint.key) &&
      (operator === 'Exists' || value === (taint.value ?? '')),
  );
}

function whyUnschedulable({ spec }: Pod, node: Node): string | undefined {
  if (!node.spec?.unschedulable) return undefined;
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as Taint;
  return tolerates(spec?.tolerations ?? [], taint) ? undefined : 'node(s) were unschedulable';
}

function whyTainted({ spec }: Pod, node: Node): string | undefined {
  for (const taint of node.spec?.taints ?? []) {
    if (taint.effect === 'PreferNoSchedule' || tolerates(spec?.tolerations ?? [], taint)) continue;
    return `node(s) had untolerated taint(s) {${taint.key}: ${taint.value ?? ''}}`.replace('taint(s)', 'taint');
  }
  return undefined;
}

export function isSelected({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const isLabelled = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return isLabelled && (required === undefined || matchesNodeSelector(required, node));
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
