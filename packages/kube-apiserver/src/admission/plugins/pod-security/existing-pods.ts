import type { Pod } from '@pintle/kinds/core/v1';
import { quote } from '@pintle/machinery/errors';
import { violationsOf } from './evaluate.ts';
import type { Standard } from './policy.ts';
import { describeStandard } from './policy.ts';

/** Pods that are checked when the level of a namespace is raised. */
const MAX_PODS = 3000;

/**
 * Returns warnings when existing pods violate a new level: one line for all pods with the same violations, which names
 * the first of them.
 */
export function existingPodWarnings(namespace: string, pods: readonly ExistingPod[], enforce: Standard): string[] {
  const byReasons = new Map<string, string[]>();
  for (const { name, reasons } of oneOfEachControllerFirst(pods).slice(0, MAX_PODS)) {
    if (reasons === '') continue;
    const names = byReasons.get(reasons);
    if (names === undefined) byReasons.set(reasons, [name]);
    else names.push(name);
  }
  const warnings: string[] = [];
  if (pods.length > MAX_PODS)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${MAX_PODS} of ${pods.length} existing pods`,
    );
  if (byReasons.size > 0)
    warnings.push(
      `existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level "${describeStandard(enforce)}"`,
    );
  return [...warnings, ...[...byReasons].map(([reasons, names]) => `${describePods(names)}: ${reasons}`).sort()];
}

/** The part of a pod that warnings need: namespaces may have more pods than fit into memory at once. */
export interface ExistingPod {
  readonly name: string;
  /** uid of its controller. */
  readonly controller: string | undefined;
  /** Reasons why the level refuses it; empty when it does not. */
  readonly reasons: string;
}

export function checkExistingPod({ metadata, spec }: Pod, enforce: Standard): ExistingPod {
  const violations = spec ? violationsOf({ metadata, spec }, enforce) : [];
  return {
    name: metadata.name ?? '',
    controller: metadata.ownerReferences?.find((owner) => owner.controller)?.uid,
    reasons: violations.map(({ reason }) => reason).join(', '),
  };
}

function oneOfEachControllerFirst(pods: readonly ExistingPod[]): ExistingPod[] {
  const known = new Set<string>();
  const first: ExistingPod[] = [];
  const rest: ExistingPod[] = [];
  for (const pod of pods) {
    const { controller } = pod;
    (controller !== undefined && known.has(controller) ? rest : first).push(pod);
    if (controller !== undefined) known.add(controller);
  }
  return [...first, ...rest];
}

function describePods(names: readonly string[]): string {
  const first = [...names].sort()[0] ?? '';
  if (names.length === 1) return first;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}
