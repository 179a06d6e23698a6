import type { ObjectMeta } from '@pintle/machinery';

/** What the rules of a Pod's spec must know about where it stands. */
export interface PodSpecContext {
  /** The Pod itself, rather than a template for Pods. */
  readonly isPod: boolean;
  /** The Pod's metadata; a template's names nothing yet. */
  readonly metadata?: ObjectMeta;
}

export const templateContext: PodSpecContext = { isPod: false };
