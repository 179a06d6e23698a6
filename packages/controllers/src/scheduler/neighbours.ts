import type { Turns } from '@pintle/async';
import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '@pintle/kinds/core/v1';
import type { CompiledLabelSelector } from '@pintle/machinery/selectors';
import { selectorOf } from '../common/selectors.ts';
import { isMeant, type NamespaceLabels, termsMeaning } from './affinity-term.ts';
import type { Candidate, Refusal } from './node-fit.ts';

/** True when the pod has affinity, anti-affinity or spread constraints. */
export function mindsOthers({ spec }: Pod): boolean {
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
export class Neighbours {
  readonly #pod: Pod;
  readonly #labelsOf: NamespaceLabels;
  readonly #affinityTerms: readonly PodAffinityTerm[];
  readonly #antiTerms: readonly PodAffinityTerm[];
  readonly #wishes: readonly PodAffinityTerm[];
  /** Weights of preferred terms; negative for anti-affinity. */
  readonly #weights: ReadonlyMap<PodAffinityTerm, number>;
  readonly #required: readonly Spread[];
  readonly #preferred: readonly Spread[];
  readonly #affinity = new PlaceCounts();
  readonly #anti = new PlaceCounts();
  readonly #existing = new PlaceCounts();
  readonly #wished = new PlaceCounts();

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
    this.#wishes = [...this.#weights.keys()];
    const constraints = pod.spec?.topologySpreadConstraints ?? [];
    const spreadBy = (when: string): Spread[] =>
      constraints.filter((each) => each.whenUnsatisfiable === when).map((each) => new Spread(pod, each));
    this.#required = spreadBy('DoNotSchedule');
    this.#preferred = spreadBy('ScheduleAnyway');
  }

  /** Counts the pods on all nodes. */
  static async of(pod: Pod, all: readonly Candidate[], labelsOf: NamespaceLabels, turns: Turns): Promise<Neighbours> {
    const neighbours = new Neighbours(pod, labelsOf);
    const isMinding = mindsOthers(pod);
    for (const { node, use } of all) {
      for (const other of use.shunning()) {
        neighbours.#countTheirs(other, node, 1);
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
      if (!isMinding) continue;
      for (const spread of neighbours.#spreads()) spread.open(node);
      for (const other of use.pods()) {
        neighbours.#countOurs(other, node, 1);
        const turn = turns.next();
        if (turn !== undefined) await turn;
      }
    }
    return neighbours;
  }

  /** Counts a pod on a node. */
  add(other: Pod, node: Node): void {
    this.#countTheirs(other, node, 1);
    this.#countOurs(other, node, 1);
  }

  /** Uncounts a pod on a node. */
  remove(other: Pod, node: Node): void {
    this.#countTheirs(other, node, -1);
    this.#countOurs(other, node, -1);
  }

  /** Returns why existing pods prevent scheduling to a node; `undefined` when they do not. */
  whyNot(node: Node): Refusal | undefined {
    if (!this.#hasCompany(node)) return { reason: "node(s) didn't match pod affinity rules", isForWantOfRoom: false };
    if (this.#anti.isAny(node))
      return { reason: "node(s) didn't match pod anti-affinity rules", isForWantOfRoom: true };
    if (this.#existing.isAny(node))
      return { reason: "node(s) didn't satisfy existing pods anti-affinity rules", isForWantOfRoom: true };
    for (const spread of this.#required) {
      const skew = spread.skewAt(node);
      const reason = "node(s) didn't match pod topology spread constraints";
      if (skew === undefined) return { reason: `${reason} (missing required label)`, isForWantOfRoom: false };
      if (skew > spread.maxSkew) return { reason, isForWantOfRoom: true };
    }
    return undefined;
  }

  /** Returns the score of a node by preferred terms and spread constraints. */
  wishesMetAt(node: Node): number {
    const skews = this.#preferred.reduce((sum, spread) => sum + (spread.skewAt(node) ?? 1), 0);
    return this.#wished.sumAt(node) - skews;
  }

  /** The first pod of a group that must be together may go to any node with the topology labels. */
  #hasCompany(node: Node): boolean {
    if (this.#affinityTerms.length === 0) return true;
    if (!this.#affinityTerms.every(({ topologyKey }) => placeOf(node, topologyKey) !== undefined)) return false;
    if (this.#affinity.isEmpty) return this.#meansAll(this.#pod);
    return this.#affinityTerms.every(({ topologyKey }) => this.#affinity.at(node, topologyKey) > 0);
  }

  #meansAll(other: Pod): boolean {
    return this.#affinityTerms.every((term) => isMeant(this.#pod, term, other, this.#labelsOf));
  }

  #countOurs(other: Pod, node: Node, by: 1 | -1): void {
    if (this.#affinityTerms.length > 0 && this.#meansAll(other))
      for (const { topologyKey } of this.#affinityTerms) this.#affinity.add(node, topologyKey, by);
    for (const { topologyKey } of termsMeaning(this.#pod, this.#antiTerms, other, this.#labelsOf))
      this.#anti.add(node, topologyKey, by);
    for (const term of termsMeaning(this.#pod, this.#wishes, other, this.#labelsOf))
      this.#wished.add(node, term.topologyKey, by * this.#weights.get(term)!);
    for (const spread of this.#spreads()) spread.count(other, node, by);
  }

  #countTheirs(other: Pod, node: Node, by: 1 | -1): void {
    for (const { topologyKey } of termsMeaning(other, antiTermsOf(other), this.#pod, this.#labelsOf))
      this.#existing.add(node, topologyKey, by);
  }

  *#spreads(): Iterable<Spread> {
    yield* this.#required;
    yield* this.#preferred;
  }
}

function antiTermsOf({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Counts by topology key and domain. */
class PlaceCounts {
  readonly #byKey = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Ignores a node without the topology label. */
  add(node: Node, topologyKey: string, by: number): void {
    const place = placeOf(node, topologyKey);
    if (place === undefined) return;
    const counts = this.#byKey.get(topologyKey) ?? new Map<string, number>();
    const next = (counts.get(place) ?? 0) + by;
    if (next === 0) counts.delete(place);
    else counts.set(place, next);
    if (counts.size === 0) this.#byKey.delete(topologyKey);
    else this.#byKey.set(topologyKey, counts);
  }

  at(node: Node, topologyKey: string): number {
    const place = placeOf(node, topologyKey);
    return place === undefined ? 0 : (this.#byKey.get(topologyKey)?.get(place) ?? 0);
  }

  isAny(node: Node): boolean {
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
class Spread {
  readonly maxSkew: number;
  readonly #topologyKey: string;
  readonly #namespace: string | undefined;
  readonly #selector: CompiledLabelSelector;
  readonly #isOfGroup: boolean;
  readonly #counts = new Map<string, number>();
  /** Count of the emptiest domain; `undefined` when it has to be computed. */
  #least: number | undefined;

  constructor({ metadata }: Pod, { topologyKey, labelSelector, maxSkew }: TopologySpreadConstraint) {
    this.maxSkew = maxSkew ?? 1;
    this.#topologyKey = topologyKey;
    this.#namespace = metadata.namespace;
    this.#selector = selectorOf(labelSelector);
    this.#isOfGroup = this.#selector.matches(metadata.labels);
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
    const place = placeOf(node, this.#topologyKey);
    if (place === undefined) return undefined;
    return (this.#counts.get(place) ?? 0) + (this.#isOfGroup ? 1 : 0) - this.#fewest();
  }

  #fewest(): number {
    if (this.#least === undefined) {
      let least = Number.POSITIVE_INFINITY;
      for (const count of this.#counts.values()) least = Math.min(least, count);
      this.#least = least;
    }
    return this.#least;
  }

  #change(node: Node, by: number): void {
    const place = placeOf(node, this.#topologyKey);
    if (place === undefined) return;
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + by);
    this.#least = undefined;
  }
}

function placeOf({ metadata }: Node, topologyKey: string): string | undefined {
  const { labels = {} } = metadata;
  return Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
}
