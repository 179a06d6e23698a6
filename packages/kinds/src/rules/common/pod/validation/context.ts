import type { ObjectMeta } from '@pintle/machinery';

/** The facts about the owner of a Pod's spec that its rules need. */
export interface PodSpecContext {
  /** True for a Pod, false for a pod template. */
  readonly isPod: boolean;
  /** The Pod's metadata; absent for a template, which has no name yet. */
  readonly metadata?: ObjectMeta;
}

export const templateContext: PodSpecContext = { isPod: false };
