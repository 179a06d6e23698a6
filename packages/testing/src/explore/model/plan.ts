/**
 * Identifies one request of a run: its sender, verb and object, and its number among equal requests.
 *
 *     operator create configmaps default/apple-label #1
 *     test delete fruits.example.com default/apple #1
 */
export type PointId = string;

/** One fault. Faults are plain data, so that a plan can be written to a file and replayed. */
export type PlannedFault =
  /** The operator's process ends right after the write took effect, and another is started. */
  | { readonly kind: 'crash'; readonly after: PointId }
  /** The operator's process ends right before the write is sent, and another is started. */
  | { readonly kind: 'crash-before'; readonly at: PointId }
  /** The write takes effect and its response is lost. */
  | { readonly kind: 'lost-answer'; readonly at: PointId }
  /** Another client changes an annotation of the object right before the write, which is then based on an old version. */
  | { readonly kind: 'conflict'; readonly at: PointId }
  /** The server refuses the request: 409, 410, 429 or 500. */
  | { readonly kind: 'refused'; readonly at: PointId; readonly code: number }
  /**
   * The operator's watch of the resource is silent from just before one write until after another; then the server ends it
   * with 410 Gone, and the operator lists again. It never sees the events between.
   */
  | { readonly kind: 'unseen'; readonly resource: string; readonly from: PointId; readonly until: PointId }
  /** The operator's watch of the resource is silent from the write until everything else rests. */
  | { readonly kind: 'late'; readonly resource: string; readonly from: PointId }
  /**
   * The operator is restarted at a rest, and its lists and watches show all objects as they were right after the write. At
   * its next rest they show the present.
   */
  | { readonly kind: 'past'; readonly from: PointId; readonly restart: number }
  /** The operator does not run from one rest until another. */
  | { readonly kind: 'absent'; readonly from: number; readonly until: number }
  /** The scenario does not wait for this rest: it continues after the operator has made this number of writes. */
  | { readonly kind: 'hurry'; readonly rest: number; readonly writes: number }
  /**
   * The operator's process is paused right before the write, for longer than its lease lasts, and another becomes the leader.
   * At a rest the first continues: it sends the write, with its old caches, before it notices that it lost the lease.
   */
  | { readonly kind: 'paused'; readonly at: PointId; readonly until: number }
  /** A reconcile is postponed until everything else rests. */
  | { readonly kind: 'put-off'; readonly reconcile: string; readonly nth: number }
  /** All objects of the operator are reconciled once more, right after the write. */
  | { readonly kind: 'again'; readonly after: PointId }
  /** Another client deletes the object while everything rests. */
  | { readonly kind: 'deleted'; readonly rest: number; readonly object: string }
  /** Another client changes a field of the object while everything rests. */
  | { readonly kind: 'edited'; readonly rest: number; readonly object: string; readonly field: readonly string[] };

export type FaultKind = PlannedFault['kind'];

/** Part of a scenario that is run. */
export interface ScenarioCut {
  /** Calls of `settle` after which it ends. */
  readonly rests?: number;
  /** Named steps that are left out. */
  readonly without?: readonly string[];
}

/** Everything that determines a run, besides the code. */
export interface Plan {
  readonly version: 1;
  readonly seed: number | string;
  readonly scenario: ScenarioCut;
  readonly faults: readonly PlannedFault[];
}

/** A plan that led to a finding, for a file. */
export interface PlanFile extends Plan {
  /** Rule and subject of the finding. */
  readonly finding: string;
  /** Digest of all requests of the run; a replay with the same requests has the same. */
  readonly trace: string;
}

/** Returns a short description of a fault. */
export function describeFault(fault: PlannedFault): string {
  switch (fault.kind) {
    case 'crash':
      return `the operator crashes after “${fault.after}”`;
    case 'crash-before':
      return `the operator crashes before “${fault.at}”`;
    case 'lost-answer':
      return `the response to “${fault.at}” is lost`;
    case 'conflict':
      return `another client changes the object right before “${fault.at}”`;
    case 'refused':
      return `the server refuses “${fault.at}” with ${fault.code}`;
    case 'unseen':
      return `the operator does not see ${fault.resource} from “${fault.from}” until “${fault.until}”`;
    case 'late':
      return `the operator sees ${fault.resource} late from “${fault.from}” on`;
    case 'past':
      return `the operator is restarted at rest ${fault.restart} and sees the objects as after “${fault.from}”`;
    case 'absent':
      return `the operator does not run from rest ${fault.from} to rest ${fault.until}`;
    case 'hurry':
      return `the scenario does not wait for rest ${fault.rest}, but for ${fault.writes} writes of the operator`;
    case 'paused':
      return `the operator is paused before “${fault.at}”, and another becomes the leader; it continues at rest ${fault.until}`;
    case 'put-off':
      return `reconcile ${fault.nth} of ${fault.reconcile} is postponed until everything else rests`;
    case 'again':
      return `everything is reconciled again after “${fault.after}”`;
    case 'deleted':
      return `another client deletes ${fault.object} at rest ${fault.rest}`;
    case 'edited':
      return `another client changes ${fault.field.join('.')} of ${fault.object} at rest ${fault.rest}`;
  }
}
