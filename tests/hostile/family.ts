import type { Draw } from './draw.ts';
import type { Target } from './target.ts';

/** The outcome of one request. */
export interface Outcome {
  /** 0: the connection ended without an answer. */
  readonly status: number;
  /** Says what no client should see; the same words for the same trouble, so that they can be counted. */
  readonly complaint?: string;
  /** The request, for whoever looks into the complaint. */
  readonly sample?: string;
}

/** One kind of attack. */
export interface AttackFamily {
  readonly name: string;
  /** How often it is drawn, relative to the others. */
  readonly weight: number;
  /** Makes what the attacks need. Called once before the first. */
  prepare?(target: Target): Promise<void>;
  /** Sends the requests of one attack, made from `draw` alone, and judges each answer. */
  attack(draw: Draw, target: Target): Promise<readonly Outcome[]>;
}
