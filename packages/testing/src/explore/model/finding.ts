import type { PlanFile } from './plan.ts';

/** The rules that are looked after. */
export type Rule =
  | 'end-state'
  | 'created-more-often'
  | 'deleted-more-often'
  | 'no-rest'
  | 'not-idempotent'
  | 'keeps-failing'
  | 'deleted-another-object'
  | 'finalizer-too-early'
  | 'scenario-fails'
  | 'invariant'
  | 'unhandled-rejection'
  | 'watch-leak';

/** A rule was broken, and for what. */
export interface Violation {
  readonly rule: Rule;
  /** The object, or what else it is about. */
  readonly subject: string;
  /** The field, where the rule is about one. */
  readonly field?: string;
  readonly expected?: string;
  readonly found?: string;
}

/** A broken rule, with the shortest way to it that was found. */
export interface Finding extends Violation {
  /** What was found, in one sentence. */
  readonly summary: string;
  /** How it came about, in at most ten lines. */
  readonly story: readonly string[];
  /** The kind of mistake this mostly is. */
  readonly pattern: string;
  /** How it is usually mended. */
  readonly cure: string;
  /** Replays it: `explore({ …, plan })`. */
  readonly plan: PlanFile;
  /** Two replays of the plan sent the same requests, byte for byte. If not, the operator keeps something between its runs. */
  readonly isExact: boolean;
  /** How many of the plans that were run led to it. */
  readonly plans: number;
}

/** Findings of the same rule about the same thing are one. */
export function signatureOf({ rule, subject, field = '' }: Violation): string {
  return `${rule} ${subject} ${field.replaceAll(/\.\d+/g, '.*')}`.trim();
}
