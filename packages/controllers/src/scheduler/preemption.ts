import type { Turns } from '@pintle/async';
import type { Node, Pod } from '@pintle/kinds/core/v1';
import type { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { selectorOf } from '../common/selectors.ts';
import { priorityOf } from './cluster-view.ts';
import { type Candidate, refusalOf } from './node-fit.ts';
import type { NodeInfo } from './node-info.ts';
import type { TopologyConstraints } from './topology-constraints.ts';

/** A node and the pods that have to be evicted from it. */
export interface Preemption {
  readonly node: Node;
  /** Victims, highest priority first. */
  readonly victims: readonly Pod[];
  /** Number of victims that a PodDisruptionBudget protects. */
  readonly violations: number;
}

/**
 * Returns where the pod could run when pods of lower priority are evicted: as few and unimportant ones as possible,
 * those protected by budgets last. `candidates` are the nodes where preemption could help.
 */
export async function findPreemption(
  pod: Pod,
  candidates: readonly Candidate[],
  topology: TopologyConstraints,
  budgets: readonly PodDisruptionBudget[],
  turns: Turns,
): Promise<Preemption | undefined> {
  const budgetsIn = new Map<string, PodDisruptionBudget[]>();
  for (const budget of budgets) {
    const { namespace = '' } = budget.metadata;
    const others = budgetsIn.get(namespace);
    if (others === undefined) budgetsIn.set(namespace, [budget]);
    else others.push(budget);
  }
  let best: Preemption | undefined;
  for (const candidate of candidates) {
    const found = await selectVictimsOnNode(new DryRun(pod, candidate, topology), budgetsIn, turns);
    if (found !== undefined && (best === undefined || isBetter(found, best))) best = found;
  }
  return best;
}

type BudgetsIn = ReadonlyMap<string, readonly PodDisruptionBudget[]>;

async function selectVictimsOnNode(
  dryRun: DryRun,
  budgetsIn: BudgetsIn,
  turns: Turns,
): Promise<Preemption | undefined> {
  const { node } = dryRun;
  const lowerPriorityPods = dryRun.lowerPriorityPods();
  if (lowerPriorityPods.length === 0) return undefined;
  const each = async (pods: readonly Pod[], step: (pod: Pod) => void): Promise<void> => {
    for (const pod of pods) {
      step(pod);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  };
  const violated: Pod[] = [];
  const displaced: Pod[] = [];
  await each(lowerPriorityPods, (other) => dryRun.remove(other));
  const isEnough = dryRun.fits();
  if (isEnough) {
    const { protectedPods, others } = await filterByBudgetViolation(lowerPriorityPods, budgetsIn, turns);
    const stays = (other: Pod): boolean => {
      dryRun.add(other);
      if (dryRun.fits()) return true;
      dryRun.remove(other);
      return false;
    };
    await each(protectedPods, (other) => void (stays(other) || violated.push(other)));
    await each(others, (other) => void (stays(other) || displaced.push(other)));
  }
  const victims = [...violated, ...displaced].sort(byPriority);
  // Restores the pods for the evaluation of other nodes.
  await each(isEnough ? victims : lowerPriorityPods, (other) => dryRun.add(other));
  return isEnough ? { node, victims, violations: violated.length } : undefined;
}

/** A node from which pods are removed, to see whether another one fits then. */
class DryRun {
  readonly node: Node;
  readonly #pod: Pod;
  readonly #info: NodeInfo;
  readonly #topology: TopologyConstraints;

  constructor(pod: Pod, { node, info }: Candidate, topology: TopologyConstraints) {
    this.node = node;
    this.#pod = pod;
    this.#info = info.copy();
    this.#topology = topology;
  }

  /** Returns pods of lower priority, highest priority first. */
  lowerPriorityPods(): Pod[] {
    const priority = priorityOf(this.#pod);
    return [...this.#info.pods()].filter((other) => priorityOf(other) < priority).sort(byPriority);
  }

  fits(): boolean {
    const { node } = this;
    return (
      refusalOf(this.#pod, { node, info: this.#info }) === undefined && this.#topology.refusalOf(node) === undefined
    );
  }

  add(other: Pod): void {
    this.#info.add(other);
    this.#topology.add(other, this.node);
  }

  remove(other: Pod): void {
    this.#info.remove(other.metadata.uid ?? '');
    this.#topology.remove(other, this.node);
  }
}

/** Splits pods into those whose eviction violates a budget, when evicted in this order, and others. */
async function filterByBudgetViolation(
  pods: readonly Pod[],
  budgetsIn: BudgetsIn,
  turns: Turns,
): Promise<{ readonly protectedPods: Pod[]; readonly others: Pod[] }> {
  const left = new Map<PodDisruptionBudget, number>();
  const protectedPods: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of pods) {
    let isProtected = false;
    for (const budget of budgetsIn.get(pod.metadata.namespace ?? '') ?? []) {
      const turn = turns.next();
      if (turn !== undefined) await turn;
      if (!isCovered(pod, budget)) continue;
      const next = (left.get(budget) ?? budget.status?.disruptionsAllowed ?? 0) - 1;
      left.set(budget, next);
      if (next < 0) isProtected = true;
    }
    (isProtected ? protectedPods : others).push(pod);
  }
  return { protectedPods, others };
}

/** True when the budget applies to the pod. A pod whose eviction was granted already is counted in it. */
function isCovered({ metadata }: Pod, budget: PodDisruptionBudget): boolean {
  const { selector } = budget.spec ?? {};
  if (budget.metadata.namespace !== metadata.namespace || selector === undefined) return false;
  if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0) return false;
  if (Object.hasOwn(budget.status?.disruptedPods ?? {}, metadata.name ?? '')) return false;
  return selectorOf(selector).matches(metadata.labels ?? {});
}

/** Orders pods by priority, then by start time, earliest first. */
function byPriority(a: Pod, b: Pod): number {
  return priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b);
}

function startOf({ metadata, status }: Pod): number {
  return Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') || 0;
}

/** Prefers fewer violated budgets, then victims of lower priority, fewer victims, and later start times. */
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
