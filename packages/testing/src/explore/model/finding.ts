import { withoutNumber } from '../world/compare.ts';
import type { PlanFile } from './plan.ts';
import type { Timelines } from './timeline.ts';

/** Rules that every run is judged by. */
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
  | 'not-awaited'
  | 'watch-leak';

/** Result of an operator that writes as long as a run waits. */
export const ENDLESS = 'it keeps writing';

/** Result of an operator that changes something when it is started again at rest. */
export const RESTARTED = 'a restart of the operator at rest changes it';

/** A broken rule. */
export interface Violation {
  readonly rule: Rule;
  /** Object, reconcile or invariant that broke it. */
  readonly subject: string;
  /** Field of the object, for rules about fields. */
  readonly field?: string;
  readonly expected?: string;
  readonly found?: string;
}

/** A broken rule, with the shortest plan that breaks it. */
export interface Finding extends Violation {
  /** One sentence. */
  readonly summary: string;
  /** Events that led to it, at most ten lines. */
  readonly story: readonly string[];
  /** The writes and faults of the run, beside those of the run without faults. */
  readonly timelines: Timelines;
  /** Most frequent mistake behind such a finding. */
  readonly pattern: string;
  /** Usual way to mend it. */
  readonly cure: string;
  /** Replays it: `explore({ …, plan })`. */
  readonly plan: PlanFile;
  /** True when two replays sent the same requests, byte for byte. False when the operator keeps state between runs. */
  readonly isExact: boolean;
  /** Number of plans that led to it. */
  readonly plans: number;
}

/** Returns the identity of a finding: rule, subject and field without indexes, of a generated name without its number. */
export function signatureOf({ rule, subject, field = '' }: Violation): string {
  return `${rule} ${withoutNumber(subject)} ${field.replaceAll(/\.\d+/g, '.*')}`.trim();
}
