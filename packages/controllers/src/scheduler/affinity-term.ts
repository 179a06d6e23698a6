import type { Pod, PodAffinityTerm } from '@pintle/kinds/core/v1';
import type { CompiledLabelSelector, LabelOperator, LabelSelector, Labels } from '@pintle/machinery/selectors';
import { compileLabelSelector, noLabelSelector } from '@pintle/machinery/selectors';

/** Returns the labels of a namespace; none when it is unknown. */
export type NamespaceLabels = (namespace: string) => Labels;

interface CompiledTerm {
  readonly selector: CompiledLabelSelector;
  readonly namespaceSelector: CompiledLabelSelector;
  readonly namespaces: ReadonlySet<string>;
  /** The term has neither namespaces nor a namespace selector. */
  readonly isOwnNamespaceOnly: boolean;
}

/** Compiled terms of cached pods, which do not change. Entries live as long as the pods. */
const COMPILED = new WeakMap<PodAffinityTerm, CompiledTerm>();

/**
 * True when a term of `pod` matches `other`: its namespace, which the term lists or selects by labels, and its labels.
 * A term without namespaces matches the pod's own; an empty namespace selector matches all.
 */
export function matchesTerm(pod: Pod, term: PodAffinityTerm, other: Pod, labelsOf: NamespaceLabels): boolean {
  const { selector, namespaceSelector, namespaces, isOwnNamespaceOnly } = compiled(term);
  const { namespace = '', labels } = other.metadata;
  const isListed = isOwnNamespaceOnly ? namespace === pod.metadata.namespace : namespaces.has(namespace);
  if (!isListed && namespaceSelector === noLabelSelector) return false;
  return selector.matches(labels) && (isListed || namespaceSelector.matches(labelsOf(namespace)));
}

/** Number of terms up to which they are tried one by one. */
const FEW = 8;

/** Returns the terms of `pod` that match `other`. Skips terms that require a label which `other` lacks at no cost. */
export function* matchingTerms(
  pod: Pod,
  terms: readonly PodAffinityTerm[],
  other: Pod,
  labelsOf: NamespaceLabels,
): Iterable<PodAffinityTerm> {
  const possible = terms.length <= FEW ? terms : indexOf(terms).possible(other.metadata.labels ?? {});
  for (const term of possible) if (matchesTerm(pod, term, other, labelsOf)) yield term;
}

const INDEXES = new WeakMap<readonly PodAffinityTerm[], TermIndex>();

function indexOf(terms: readonly PodAffinityTerm[]): TermIndex {
  const index = INDEXES.get(terms) ?? new TermIndex(terms);
  INDEXES.set(terms, index);
  return index;
}

/** Finds terms by a label and value that they require. */
class TermIndex {
  readonly #byLabel = new Map<string, Map<string, PodAffinityTerm[]>>();
  /** Terms that require no label with a certain value. */
  readonly #others: PodAffinityTerm[] = [];

  constructor(terms: readonly PodAffinityTerm[]) {
    for (const term of terms) {
      const { requirements } = compiled(term).selector;
      const exact = requirements.find(({ operator, values }) => EXACT.has(operator) && values.length === 1);
      if (exact === undefined) this.#others.push(term);
      else this.#add(exact.key, exact.values[0]!, term);
    }
  }

  *possible(labels: Labels): Iterable<PodAffinityTerm> {
    yield* this.#others;
    if (this.#byLabel.size > 0)
      for (const [key, value] of Object.entries(labels)) yield* this.#byLabel.get(key)?.get(value) ?? [];
  }

  #add(key: string, value: string, term: PodAffinityTerm): void {
    const byValue = this.#byLabel.get(key) ?? new Map<string, PodAffinityTerm[]>();
    this.#byLabel.set(key, byValue);
    const alike = byValue.get(value);
    if (alike === undefined) byValue.set(value, [term]);
    else alike.push(term);
  }
}

const EXACT: ReadonlySet<LabelOperator> = new Set(['=', '==', 'in']);

function compiled(term: PodAffinityTerm): CompiledTerm {
  const known = COMPILED.get(term);
  if (known !== undefined) return known;
  const { labelSelector, namespaceSelector, namespaces = [] } = term;
  const made = {
    selector: compile(labelSelector),
    namespaceSelector: compile(namespaceSelector),
    namespaces: new Set(namespaces),
    isOwnNamespaceOnly: namespaces.length === 0 && !namespaceSelector,
  };
  COMPILED.set(term, made);
  return made;
}

/** An invalid selector matches nothing, so that its pod keeps no other pods away. */
function compile(selector: LabelSelector | undefined): CompiledLabelSelector {
  try {
    return compileLabelSelector(selector);
  } catch {
    return noLabelSelector;
  }
}
