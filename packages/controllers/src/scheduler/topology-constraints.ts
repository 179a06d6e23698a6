import type { Turns } from '@pintle/async';
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '@pintle/kinds/core/v1';
import type { CompiledLabelSelector } from '@pintle/machinery/selectors';
import { selectorOf } from '../common/selectors.ts';
import { matchesTerm, matchingTerms, type NamespaceLabels } from './affinity-term.ts';
import type { Candidate, Refusal } from './node-fit.ts';

/** True when the pod has affinity, anti-affinity or spread constraints. */
export function hasTopologyConstraints({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return podAffinity !== undefined || podAntiAffinity !== undefined || !!spec?.topologySpreadConstraints?.length;
}

/**
 * Evaluates inter-pod affinity and topology spread for a pod. Compares each existing pod with the pod's terms, and with
 * its own, once; after that, nodes are evaluated from the counts:
 *
 *     affinity   zone    → a: 2, b: 1      pods that match all of the pod's affinity terms, by topology domain
 *     anti       host    → n1: 1           pods that match an anti-affinity term
 *     existing   host    → n2: 1           pods with an anti-affinity term that matches this pod
 *     preferred  zone    → a: 20, b: -5    sums of the weights of preferred terms
 */
export class TopologyConstraints {
  readonly #pod: Pod;
  readonly #labelsOf: NamespaceLabels;
  readonly #affinityTerms: readonly PodAffinityTerm[];
  readonly #antiTerms: readonly PodAffinityTerm[];
  readonly #preferredTerms: readonly PodAffinityTerm[];
  /** Weights of preferred terms; negative for anti-affinity. */
  readonly #weights: ReadonlyMap<PodAffinityTerm, number>;
  readonly #requiredSpreads: readonly SpreadConstraint[];
  readonly #preferredSpreads: readonly SpreadConstraint[];
  readonly #affinity = new TopologyCounts();
  readonly #anti = new TopologyCounts();
  readonly #existing = new TopologyCounts();
  readonly #preferredWeights = new TopologyCounts();

  private constructor(pod: Pod, labelsOf: NamespaceLabels) {
    const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
    this.#pod = pod;
    this.#labelsOf = labelsOf;
    this.#affinityTerms = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    this.#antiTerms = antiTermsOf(pod);
    const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const far = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    this.#weights = new Map([
      ...near.map(({ weight = 1, podAffinityTerm }) => [podAffinityTerm, weight] as const),
      ...far.map(({ weight = 1, podAffinityTerm }) => [podAffinityTerm, -weight] as const),
    ]);
    this.#preferredTerms = [...this.#weights.keys()];
    const constraints = pod.spec?.topologySpreadConstraints ?? [];
    const spreadBy = (when: string): SpreadConstraint[] =>
      constraints.filter((each) => each.whenUnsatisfiable === when).map((each) => new SpreadConstraint(pod, each));
    this.#requiredSpreads = spreadBy('DoNotSchedule');
    this.#preferredSpreads = spreadBy('ScheduleAnyway');
  }

  /** Counts the pods on all nodes. */
  static async of(
    pod: Pod,
    all: readonly Candidate[],
    labelsOf: NamespaceLabels,
    turns: Turns,
  ): Promise<TopologyConstraints> {
    const topology = new TopologyConstraints(pod, labelsOf);
    const isConstrained = hasTopologyConstraints(pod);
    for (const { node, info } of all) {
      for (const other of info.antiAffinityPods()) {
        topology.#countByExistingTerms(other, node, 1);
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
      if (!isConstrained) continue;
      for (const spread of topology.#spreads()) spread.open(node);
      for (const other of info.pods()) {
        topology.#countByPodTerms(other, node, 1);
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
    }
    return topology;
  }

  /** Counts a pod on a node. */
  add(other: Pod, node: Node): void {
    this.#countByExistingTerms(other, node, 1);
    this.#countByPodTerms(other, node, 1);
  }

  /** Uncounts a pod on a node. */
  remove(other: Pod, node: Node): void {
    this.#countByExistingTerms(other, node, -1);
    this.#countByPodTerms(other, node, -1);
  }

  /** Returns why existing pods prevent scheduling to a node; `undefined` when they do not. */
  refusalOf(node: Node): Refusal | undefined {
    if (!this.#matchesAffinity(node))
      return { reason: "node(s) didn't match pod affinity rules", isResolvableByPreemption: false };
    if (this.#anti.hasAny(node))
      return { reason: "node(s) didn't match pod anti-affinity rules", isResolvableByPreemption: true };
    if (this.#existing.hasAny(node))
      return { reason: "node(s) didn't satisfy existing pods anti-affinity rules", isResolvableByPreemption: true };
    for (const spread of this.#requiredSpreads) {
      const skew = spread.skewAt(node);
      const reason = "node(s) didn't match pod topology spread constraints";
      if (skew === undefined) return { reason: `${reason} (missing required label)`, isResolvableByPreemption: false };
      if (skew > spread.maxSkew) return { reason, isResolvableByPreemption: true };
    }
    return undefined;
  }

  /** Returns the score of a node by preferred terms and spread constraints. */
  scoreOf(node: Node): number {
    const skews = this.#preferredSpreads.reduce((sum, spread) => sum + (spread.skewAt(node) ?? 1), 0);
    return this.#preferredWeights.sumAt(node) - skews;
  }

  /** The first pod of a group that must be together may go to any node with the topology labels. */
  #matchesAffinity(node: Node): boolean {
    if (this.#affinityTerms.length === 0) return true;
    if (!this.#affinityTerms.every(({ topologyKey }) => domainOf(node, topologyKey) !== undefined)) return false;
    if (this.#affinity.isEmpty) return this.#matchesAllTerms(this.#pod);
    return this.#affinityTerms.every(({ topologyKey }) => this.#affinity.at(node, topologyKey) > 0);
  }

  #matchesAllTerms(other: Pod): boolean {
    return this.#affinityTerms.every((term) => matchesTerm(this.#pod, term, other, this.#labelsOf));
  }

  #countByPodTerms(other: Pod, node: Node, by: 1 | -1): void {
    if (this.#affinityTerms.length > 0 && this.#matchesAllTerms(other))
      for (const { topologyKey } of this.#affinityTerms) this.#affinity.add(node, topologyKey, by);
    for (const { topologyKey } of matchingTerms(this.#pod, this.#antiTerms, other, this.#labelsOf))
      this.#anti.add(node, topologyKey, by);
    for (const term of matchingTerms(this.#pod, this.#preferredTerms, other, this.#labelsOf))
      this.#preferredWeights.add(node, term.topologyKey, by * this.#weights.get(term)!);
    for (const spread of this.#spreads()) spread.count(other, node, by);
  }

  #countByExistingTerms(other: Pod, node: Node, by: 1 | -1): void {
    for (const { topologyKey } of matchingTerms(other, antiTermsOf(other), this.#pod, this.#labelsOf))
      this.#existing.add(node, topologyKey, by);
  }

  *#spreads(): Iterable<SpreadConstraint> {
    yield* this.#requiredSpreads;
    yield* this.#preferredSpreads;
  }
}

function antiTermsOf({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Counts by topology key and domain. */
class TopologyCounts {
  readonly #byKey = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Ignores a node without the topology label. */
  add(node: Node, topologyKey: string, by: number): void {
    const domain = domainOf(node, topologyKey);
    if (domain === undefined) return;
    const counts = this.#byKey.get(topologyKey) ?? new Map<string, number>();
    const next = (counts.get(domain) ?? 0) + by;
    if (next === 0) counts.delete(domain);
    else counts.set(domain, next);
    if (counts.size === 0) this.#byKey.delete(topologyKey);
    else this.#byKey.set(topologyKey, counts);
  }

  at(node: Node, topologyKey: string): number {
    const domain = domainOf(node, topologyKey);
    return domain === undefined ? 0 : (this.#byKey.get(topologyKey)?.get(domain) ?? 0);
  }

  hasAny(node: Node): boolean {
    for (const topologyKey of this.#byKey.keys()) if (this.at(node, topologyKey) > 0) return true;
    return false;
  }

  sumAt(node: Node): number {
    let sum = 0;
    for (const topologyKey of this.#byKey.keys()) sum += this.at(node, topologyKey);
    return sum;
  }
}

/** Matching pods in each domain of a topology spread constraint. */
class SpreadConstraint {
  readonly maxSkew: number;
  readonly #topologyKey: string;
  readonly #namespace: string | undefined;
  readonly #selector: CompiledLabelSelector;
  readonly #matchesSelf: boolean;
  readonly #counts = new Map<string, number>();
  /** Count of the emptiest domain; `undefined` when it has to be computed. */
  #lowest: number | undefined;

  constructor({ metadata }: Pod, { topologyKey, labelSelector, maxSkew }: TopologySpreadConstraint) {
    this.maxSkew = maxSkew ?? 1;
    this.#topologyKey = topologyKey;
    this.#namespace = metadata.namespace;
    this.#selector = selectorOf(labelSelector);
    this.#matchesSelf = this.#selector.matches(metadata.labels);
  }

  /** Adds the node's domain, which counts even when it is empty. */
  open(node: Node): void {
    this.#change(node, 0);
  }

  count({ metadata }: Pod, node: Node, by: 1 | -1): void {
    if (metadata.namespace === this.#namespace && this.#selector.matches(metadata.labels)) this.#change(node, by);
  }

  /**
   * Returns how many more pods the node's domain would have than the emptiest; `undefined` when the node lacks the
   * label.
   */
  skewAt(node: Node): number | undefined {
    const domain = domainOf(node, this.#topologyKey);
    if (domain === undefined) return undefined;
    return (this.#counts.get(domain) ?? 0) + (this.#matchesSelf ? 1 : 0) - this.#fewest();
  }

  #fewest(): number {
    if (this.#lowest === undefined) {
      let least = Number.POSITIVE_INFINITY;
      for (const count of this.#counts.values()) least = Math.min(least, count);
      this.#lowest = least;
    }
    return this.#lowest;
  }

  #change(node: Node, by: number): void {
    const domain = domainOf(node, this.#topologyKey);
    if (domain === undefined) return;
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + by);
    this.#lowest = undefined;
  }
}

function domainOf({ metadata }: Node, topologyKey: string): string | undefined {
  const { labels = {} } = metadata;
  return Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
}
