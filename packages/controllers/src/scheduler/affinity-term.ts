import type { Pod, PodAffinityTerm } from '@pintle/kinds/core/v1';
import type { CompiledLabelSelector, LabelOperator, LabelSelector, Labels } from '@pintle/machinery/selectors';
import { compileLabelSelector, noLabelSelector } from '@pintle/machinery/selectors';

/** The labels of a namespace; none when nobody knows it. */
export type NamespaceLabels = (namespace: string) => Labels;

interface CompiledTerm {
  readonly selector: CompiledLabelSelector;
  readonly namespaceSelector: CompiledLabelSelector;
  readonly namespaces: ReadonlySet<string>;
  /** Neither namespaces nor a selector of them are given. */
  readonly isOwnNamespaceOnly: boolean;
}

/** Terms belong to pods in a cache, which nobody writes to, and go with them. */
const COMPILED = new WeakMap<PodAffinityTerm, CompiledTerm>();

/**
 * Whether a term of `pod` means `other`: it is in one of the namespaces that the term lists or selects by their labels,
 * and the term selects its labels. A term that says nothing of namespaces means the pod's own; an empty namespace
 * selector means all.
 */
export function isMeant(pod: Pod, term: PodAffinityTerm, other: Pod, labelsOf: NamespaceLabels): boolean {
  const { selector, namespaceSelector, namespaces, isOwnNamespaceOnly } = compiled(term);
  const { namespace = '', labels } = other.metadata;
  const isListed = isOwnNamespaceOnly ? namespace === pod.metadata.namespace : namespaces.has(namespace);
  if (!isListed && namespaceSelector === noLabelSelector) return false;
  return selector.matches(labels) && (isListed || namespaceSelector.matches(labelsOf(namespace)));
}

/** So few terms are looked at one by one. */
const FEW = 8;

/** Those of `pod`'s terms that mean `other`. It takes no longer for terms that want a label that `other` does not have. */
export function* termsMeaning(
  pod: Pod,
  terms: readonly PodAffinityTerm[],
  other: Pod,
  labelsOf: NamespaceLabels,
): Iterable<PodAffinityTerm> {
  const possible = terms.length <= FEW ? terms : indexOf(terms).possible(other.metadata.labels ?? {});
  for (const term of possible) if (isMeant(pod, term, other, labelsOf)) yield term;
}

const INDEXES = new WeakMap<readonly PodAffinityTerm[], TermIndex>();

function indexOf(terms: readonly PodAffinityTerm[]): TermIndex {
  const index = INDEXES.get(terms) ?? new TermIndex(terms);
  INDEXES.set(terms, index);
  return index;
}

/** Finds terms by a label that they require, and its value. */
class TermIndex {
  readonly #byLabel = new Map<string, Map<string, PodAffinityTerm[]>>();
  /** They require no label with one certain value. */
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

/** A selector that is wrong means nobody, so that the pod that has it keeps no others from their places. */
function compile(selector: LabelSelector | undefined): CompiledLabelSelector {
  try {
    return compileLabelSelector(selector);
  } catch {
    return noLabelSelector;
  }
}
