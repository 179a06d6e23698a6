import type { KubernetesObject } from '@pintle/machinery';
import type { CompiledLabelSelector, LabelSelector } from '@pintle/machinery/selectors';
import { compileLabelSelector, matchLabelsSelector } from '@pintle/machinery/selectors';
import type { Change } from '@pintle/operator';

/** By the selector of an object in a cache, which nobody writes to. They go with the objects. */
const COMPILED = new WeakMap<LabelSelector, CompiledLabelSelector>();

/**
 * Compiles a selector of an object that is shared with others, once: a selector of a megabyte takes some 20 ms, and
 * every event may ask for that of every object. Absent it means no object. Throws `ParseError` if it is wrong.
 */
export function selectorOf(selector: LabelSelector | undefined): CompiledLabelSelector {
  if (selector === undefined) return compileLabelSelector(selector);
  const known = COMPILED.get(selector);
  if (known !== undefined) return known;
  const compiled = compileLabelSelector(selector);
  COMPILED.set(selector, compiled);
  return compiled;
}

const COMPILED_LABELS = new WeakMap<object, CompiledLabelSelector>();

/** Compiles labels that must all be there, as in a Service's `spec.selector`, once, as `selectorOf` does. */
export function labelsSelectorOf(labels: Readonly<Record<string, string>>): CompiledLabelSelector {
  const known = COMPILED_LABELS.get(labels);
  if (known !== undefined) return known;
  const compiled = matchLabelsSelector(labels);
  COMPILED_LABELS.set(labels, compiled);
  return compiled;
}

/** Selects every object, for an owner without a selector. */
export const EVERYTHING: LabelSelector = Object.freeze({});

interface Selecting extends KubernetesObject {
  spec?: { selector?: LabelSelector };
}

/**
 * A predicate for the kind whose selectors are matched with others' events: it compiles each selector as its object is
 * heard of, so that no later event has to compile those of many objects at once. Everything passes.
 */
export function compilesSelector({ object: { spec } }: Change<Selecting>): boolean {
  return compilesAhead(() => selectorOf(spec?.selector));
}

export function compilesAhead(compile: () => unknown): true {
  try {
    compile();
  } catch {
    // Whoever needs the selector says what is wrong with it.
  }
  return true;
}
