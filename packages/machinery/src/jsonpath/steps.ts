import type { JsonValue } from '../json/value.ts';

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** One step from a list of values to the next. A path is a list of steps, each applied to the results of the one before. */
export type Step =
  /** The member of that name; an empty name selects the value itself. */
  | { readonly kind: 'field'; readonly name: string }
  /** All members or items. */
  | { readonly kind: 'wildcard' }
  /** The value and everything below it. */
  | { readonly kind: 'descend' }
  /** One item; negative counts from the end. */
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly start?: number; readonly end?: number; readonly step: number }
  | { readonly kind: 'union'; readonly branches: readonly (readonly Step[])[] }
  /** The items for which the path has a result, or cannot be evaluated. */
  | { readonly kind: 'exists'; readonly path: readonly Step[] }
  /** The items for which both sides have results and the comparison holds. */
  | {
      readonly kind: 'compare';
      readonly left: readonly Step[];
      readonly operator: Comparison;
      readonly right: readonly Step[];
    }
  /** The value itself, once for each current value. */
  | { readonly kind: 'literal'; readonly value: JsonValue };

/** A part of a template: text to print, a path to evaluate, or parts to repeat for every value of a path. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly TemplatePart[] };
