/**
 * Names one request of a run: who sends it, what it asks for, and the how-manieth of its like it is.
 *
 *     operator create configmaps default/apple-label #1
 *     test delete fruits.example.com default/apple #1
 */
export type PointId = string;

/** One thing that goes wrong. Faults are plain data: a plan is written to a file and replayed from it. */
export type PlannedFault =
  /** The operator's process ends right after the write took effect, and another is started. */
  | { readonly kind: 'crash'; readonly after: PointId }
  /** The operator's process ends right before the write is sent, and another is started. */
  | { readonly kind: 'crash-before'; readonly at: PointId }
  /** The write takes effect and its answer is lost. */
  | { readonly kind: 'lost-answer'; readonly at: PointId }
  /** Another client changes an annotation of the object right before the write, so that what it is based on is old. */
  | { readonly kind: 'conflict'; readonly at: PointId }
  /** The server refuses the request: 409, 410, 429 or 500. */
  | { readonly kind: 'refused'; readonly at: PointId; readonly code: number }
  /**
   * The operator's watch of the resource brings nothing from just before one write until after another; then the server
   * ends it with 410 Gone, so that the operator lists anew. It never sees what lay between.
   */
  | { readonly kind: 'unseen'; readonly resource: string; readonly from: PointId; readonly until: PointId }
  /** The operator's watch of the resource is late: it brings nothing from the write until everything else rests. */
  | { readonly kind: 'late'; readonly resource: string; readonly from: PointId }
  /**
   * The operator is restarted at a rest, and is shown the past: everything as it was when the write had just taken effect.
   * When it has come to rest there, it is shown the present.
   */
  | { readonly kind: 'past'; readonly from: PointId; readonly restart: number }
  /** The operator does not run from one rest until another. */
  | { readonly kind: 'absent'; readonly from: number; readonly until: number }
  /** The scenario does not wait for this rest: it goes on as soon as the operator has changed so many things. */
  | { readonly kind: 'hurry'; readonly rest: number; readonly writes: number }
  /**
   * The operator's process stands still right before the write, for longer than a lease lasts, and another takes its place.
   * At a rest the first goes on: it sends the write, knowing what it knew, before it learns that it leads no more.
   */
  | { readonly kind: 'paused'; readonly at: PointId; readonly until: number }
  /** A reconcile is put off until everything else rests: others come first. */
  | { readonly kind: 'put-off'; readonly reconcile: string; readonly nth: number }
  /** Everything the operator looks after is reconciled once more, right after the write. */
  | { readonly kind: 'again'; readonly after: PointId }
  /** Another client deletes the object while everything rests. */
  | { readonly kind: 'deleted'; readonly rest: number; readonly object: string }
  /** Another client changes a field of the object while everything rests. */
  | { readonly kind: 'edited'; readonly rest: number; readonly object: string; readonly field: readonly string[] };

export type FaultKind = PlannedFault['kind'];

/** What is left of a scenario. */
export interface ScenarioCut {
  /** It ends when `settle` has returned so many times. */
  readonly rests?: number;
  /** These of its named steps are left out. */
  readonly without?: readonly string[];
}

/** Everything that makes one run what it is, besides the code that runs. */
export interface Plan {
  readonly version: 1;
  readonly seed: number | string;
  readonly scenario: ScenarioCut;
  readonly faults: readonly PlannedFault[];
}

/** A plan that led to a finding, as it is kept in a file. */
export interface PlanFile extends Plan {
  /** The rule that was broken, and what it was broken for. */
  readonly finding: string;
  /** The digest of all requests of the run: equal when the replay is. */
  readonly trace: string;
}

/** Describes a fault in a few words. */
export function describeFault(fault: PlannedFault): string {
  switch (fault.kind) {
    case 'crash':
      return `the operator crashes after “${fault.after}”`;
    case 'crash-before':
      return `the operator crashes before “${fault.at}”`;
    case 'lost-answer':
      return `the answer to “${fault.at}” is lost`;
    case 'conflict':
      return `another client changes the object right before “${fault.at}”`;
    case 'refused':
      return `the server refuses “${fault.at}” with ${fault.code}`;
    case 'unseen':
      return `the operator does not see ${fault.resource} from “${fault.from}” until “${fault.until}”`;
    case 'late':
      return `the operator sees ${fault.resource} late from “${fault.from}” on`;
    case 'past':
      return `the operator is restarted at rest ${fault.restart} and sees the past, as after “${fault.from}”`;
    case 'absent':
      return `the operator does not run from rest ${fault.from} to rest ${fault.until}`;
    case 'hurry':
      return `the scenario does not wait for rest ${fault.rest}, but for ${fault.writes} writes of the operator`;
    case 'paused':
      return `the operator stands still before “${fault.at}”, and another takes its place; it goes on at rest ${fault.until}`;
    case 'put-off':
      return `reconcile ${fault.nth} of ${fault.reconcile} is put off until everything else rests`;
    case 'again':
      return `everything is reconciled again after “${fault.after}”`;
    case 'deleted':
      return `another client deletes ${fault.object} at rest ${fault.rest}`;
    case 'edited':
      return `another client changes ${fault.field.join('.')} of ${fault.object} at rest ${fault.rest}`;
  }
}
