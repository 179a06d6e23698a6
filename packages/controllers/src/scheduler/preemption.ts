import type { Node, Pod } from '@pintle/kinds/core/v1';
import type { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { selectorOf } from '../common/selectors.ts';
import type { Candidate } from './node-fit.ts';
import { whyNot } from './node-fit.ts';
import { whyNotWithOthers } from './pod-affinity.ts';
import { priorityOf } from './priority.ts';

/** A node, and those who would have to leave it. */
export interface Preemption {
  readonly node: Node;
  /** The most important first. */
  readonly victims: readonly Pod[];
  /** How many of them a budget would keep. */
  readonly violations: number;
}

/**
 * Where a pod could run if less important ones made room: the fewest and least important of them, those last that a
 * budget protects. `candidates` are the nodes where room is what is missing; `all` are the pod's neighbours.
 */
export function findPreemption(
  pod: Pod,
  candidates: readonly Candidate[],
  all: readonly Candidate[],
  budgets: readonly PodDisruptionBudget[],
): Preemption | undefined {
  const possible = candidates.flatMap((candidate) => victimsOn(pod, candidate, all, budgets) ?? []);
  return possible.reduce<Preemption | undefined>(
    (best, each) => (best === undefined || isBetter(each, best) ? each : best),
    undefined,
  );
}

function victimsOn(
  pod: Pod,
  candidate: Candidate,
  all: readonly Candidate[],
  budgets: readonly PodDisruptionBudget[],
): Preemption | undefined {
  const trial: Candidate = { node: candidate.node, use: candidate.use.copy() };
  const around = all.map((other) => (other.node === candidate.node ? trial : other));
  const fits = (): boolean => whyNot(pod, trial) === undefined && whyNotWithOthers(pod, trial, around) === undefined;
  const lesser = [...trial.use.pods()].filter((other) => priorityOf(other) < priorityOf(pod)).sort(byImportance);
  for (const { metadata } of lesser) trial.use.remove(metadata.uid ?? '');
  if (lesser.length === 0 || !fits()) return undefined;
  const { protectedPods, others } = splitByBudgets(lesser, budgets);
  const stay = (other: Pod): boolean => {
    trial.use.add(other);
    if (fits()) return true;
    trial.use.remove(other.metadata.uid ?? '');
    return false;
  };
  const violated = protectedPods.filter((other) => !stay(other));
  const victims = [...violated, ...others.filter((other) => !stay(other))].sort(byImportance);
  return { node: candidate.node, victims, violations: violated.length };
}

/** Which of the pods, in this order, could not go without a budget being exceeded. */
function splitByBudgets(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
): { readonly protectedPods: Pod[]; readonly others: Pod[] } {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const protectedPods: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of pods) {
    let isProtected = false;
    for (const budget of budgets) {
      if (!isCovered(pod, budget)) continue;
      const next = left.get(budget)! - 1;
      left.set(budget, next);
      if (next < 0) isProtected = true;
    }
    (isProtected ? protectedPods : others).push(pod);
  }
  return { protectedPods, others };
}

/** A pod whose eviction was granted already is counted. */
function isCovered({ metadata }: Pod, budget: PodDisruptionBudget): boolean {
  const { selector } = budget.spec ?? {};
  if (budget.metadata.namespace !== metadata.namespace || selector === undefined) return false;
  if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0) return false;
  if (Object.hasOwn(budget.status?.disruptedPods ?? {}, metadata.name ?? '')) return false;
  return selectorOf(selector).matches(metadata.labels ?? {});
}

/** The more important first; of equals the one that has run longer. */
function byImportance(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b);
}

function startOf({ metadata, status }: Pod): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') || 0;
}

/** Fewer budgets exceeded, less important victims, fewer of them, and of those the ones that started last. */
function isBetter(a: Preemption, b: Preemption): boolean {
  const ranks = ({ violations, victims }: Preemption): number[] => [
    violations,
    victims.length === 0 ? Number.NEGATIVE_INFINITY : priorityOf(victims[0]!),
    victims.reduce((sum, victim) => sum + priorityOf(victim) + 2 ** 31, 0),
    victims.length,
    victims.length === 0 ? 0 : -startOf(victims[0]!),
  ];
  const [own, other] = [ranks(a), ranks(b)];
  const at = own.findIndex((rank, index) => rank !== other[index]);
  return at >= 0 && own[at]! < other[at]!;
}
