import { ENDLESS, RESTARTED, type Violation } from '../model/finding.ts';
import type { FaultKind, PlannedFault } from '../model/plan.ts';

/** A frequent mistake, and the usual way to mend it. */
export interface Pattern {
  readonly pattern: string;
  readonly cure: string;
}

/** Returns the mistake that most often breaks a rule under such a fault. */
export function patternOf({ rule, found, field }: Violation, faults: readonly PlannedFault[]): Pattern {
  const kind = faults.at(-1)?.kind;
  switch (rule) {
    case 'deleted-another-object':
      return RECREATED;
    case 'deleted-more-often':
      return kind === 'past' ? RECREATED : REPEATED;
    case 'created-more-often':
      return REPEATED;
    case 'finalizer-too-early':
      return FINALIZER;
    case 'no-rest':
      return found === ENDLESS ? UNENDING : UNSTABLE;
    case 'not-idempotent':
      return found === RESTARTED ? FORGETFUL : UNSTABLE;
    case 'keeps-failing':
      return kind === undefined ? BROKEN : STUCK;
    case 'not-awaited':
      return UNAWAITED;
    case 'unhandled-rejection':
      return UNHANDLED;
    case 'watch-leak':
      return LEAK;
    case 'invariant':
    case 'scenario-fails':
    case 'end-state':
      return kind === undefined ? UNSTABLE : endStateOf(kind, found, field);
  }
}

function endStateOf(kind: FaultKind, found: string | undefined, field: string | undefined): Pattern {
  switch (kind) {
    case 'crash':
    case 'crash-before':
      return found === 'it is there' ? LEFT_OVER : INTERMEDIATE;
    case 'lost-answer':
    case 'conflict':
    case 'refused':
      return UNKNOWN_RESULT;
    case 'paused':
      return TWO_LEADERS;
    case 'past':
      return field === undefined && found === 'it is missing' ? RECREATED : STALE;
    case 'unseen':
    case 'absent':
    case 'hurry':
      return EDGE;
    case 'late':
    case 'put-off':
    case 'again':
      return ORDER;
    case 'deleted':
    case 'edited':
      return DRIFT;
  }
}

const INTERMEDIATE: Pattern = {
  pattern: 'The operator takes the first of several writes as a sign that all were made.',
  cure: 'Check each object in every reconcile, and report completion in the status only after the last write.',
};
const LEFT_OVER: Pattern = {
  pattern: 'A cleanup that was interrupted is not resumed after a restart.',
  cure: 'Decide from the objects that exist: list the owned objects, and delete those that are not wanted.',
};
const UNKNOWN_RESULT: Pattern = {
  pattern: 'The operator assumes that a failed write had no effect, or that it had one.',
  cure: 'Read again after an error, treat AlreadyExists and NotFound as success, and let the next reconcile decide.',
};
const RECREATED: Pattern = {
  pattern: 'The operator deletes an object by name because of an old cache, although a new object has the name.',
  cure: 'Delete with a uid precondition: client.delete(type, object), or preconditions: { uid }.',
};
const TWO_LEADERS: Pattern = {
  pattern: 'A process that was paused continues as if it were the leader, and undoes writes of its successor.',
  cure: 'Send the resourceVersion or uid that the decision was based on, so that the server refuses old writes; a lease alone does not fence.',
};
const STALE: Pattern = {
  pattern: 'The operator acts on an old cache, and does not correct it when the cache is current.',
  cure: 'Compare actual and desired state in every reconcile; read live before a write that cannot be undone.',
};
const EDGE: Pattern = {
  pattern: 'The operator depends on seeing an event. When it sees only the resulting state, it acts differently.',
  cure: 'Decide from the state, not from the event: compare the objects with the spec, and use a finalizer for work that must precede a deletion.',
};
const ORDER: Pattern = {
  pattern: 'The result depends on the order or the number of reconciles.',
  cure: 'Compute the whole desired state from the existing objects in every reconcile, and apply it.',
};
const DRIFT: Pattern = {
  pattern: 'The operator checks its dependents when it creates them, and not later.',
  cure: 'Apply the whole child in every reconcile, and watch its kind with owns().',
};
const REPEATED: Pattern = {
  pattern: 'The operator repeats a write, because it does not check whether the write was made.',
  cure: 'Derive the names of objects from their owner, and check whether they exist before creating or deleting them.',
};
const FINALIZER: Pattern = {
  pattern: 'The finalizer is removed before its work is done.',
  cure: 'Remove the finalizer last: ctx.finalize(name, clean) does so once clean has succeeded.',
};
const UNSTABLE: Pattern = {
  pattern:
    'A reconcile writes although nothing has changed: lists in changing order, times, counters, or fields that others set.',
  cure: 'Sort lists, compare before writing, and write only differences.',
};
const UNENDING: Pattern = {
  pattern: `${UNSTABLE.pattern} Or it has a schedule that is due each minute.`,
  cure: `${UNSTABLE.cure} Explore a schedule with intervals of an hour.`,
};
const FORGETFUL: Pattern = {
  pattern:
    'The operator keeps in memory what it has done. After a restart it takes everything for new, and does it again.',
  cure: 'Keep it with the objects: in the status, or as a hash in an annotation that is compared.',
};
const STUCK: Pattern = {
  pattern: 'The operator cannot continue from a state that it created itself.',
  cure: 'Handle AlreadyExists, NotFound and Conflict, and make every step repeatable.',
};
const BROKEN: Pattern = {
  pattern: 'The reconcile fails without any fault.',
  cure: 'Mend this error first: while a reconcile fails, few of its writes are explored.',
};
const UNHANDLED: Pattern = {
  pattern: 'A promise is not awaited, and its rejection is not handled.',
  cure: 'Await every call in a reconcile.',
};
const UNAWAITED: Pattern = {
  pattern: 'A call in a reconcile has no await. The retry hides it.',
  cure: 'Write await before the call that the finding names.',
};
const LEAK: Pattern = {
  pattern: 'Watches are opened repeatedly, and not closed.',
  cure: 'Open watches where the controller is built, or close them.',
};
