import type { KubernetesObject } from '@pintle/machinery';
import type { CompiledLabelSelector, LabelSelector } from '@pintle/machinery/selectors';
import { compileLabelSelector, matchLabelsSelector } from '@pintle/machinery/selectors';
import type { Change } from '@pintle/operator';

/** Compiled selectors of cached objects, which do not change. Entries live as long as the objects. */
const COMPILED = new WeakMap<LabelSelector, CompiledLabelSelector>();

/**
 * Compiles a selector of a shared object once: a selector of a megabyte takes some 20 ms, and every event may need the
 * selectors of all objects. An absent selector matches nothing. Throws `ParseError` when it is invalid.
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

/** Compiles a map of labels that must all match, such as a Service's `spec.selector`, once, as `selectorOf` does. */
export function labelsSelectorOf(labels: Readonly<Record<string, string>>): CompiledLabelSelector {
  const known = COMPILED_LABELS.get(labels);
  if (known !== undefined) return known;
  const compiled = matchLabelsSelector(labels);
  COMPILED_LABELS.set(labels, compiled);
  return compiled;
}

/** Matches every object; for an owner without a selector. */
export const EVERYTHING: LabelSelector = Object.freeze({});

interface Selecting extends KubernetesObject {
  spec?: { selector?: LabelSelector };
}

/**
 * Predicate that lets everything pass and compiles the selector of each object when it arrives, so that no later event
 * has to compile those of many objects at once.
 */
export function precompilesSelector({ object: { spec } }: Change<Selecting>): boolean {
  return precompile(() => selectorOf(spec?.selector));
}

export function precompile(compile: () => unknown): true {
  try {
    compile();
  } catch {
    // The sync that needs the selector reports what is wrong with it.
  }
  return true;
}
