import type { Violation } from '../model/finding.ts';
import type { FaultKind, PlannedFault } from '../model/plan.ts';

/** A kind of mistake, and how it is usually mended. */
export interface Pattern {
  readonly pattern: string;
  readonly cure: string;
}

/** Returns the mistake that most often leads to a broken rule under such a fault. */
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
    case 'not-idempotent':
      return UNSTABLE;
    case 'keeps-failing':
      return STUCK;
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
  pattern: 'The first of several writes makes the operator believe that the others were made, too.',
  cure: 'Look at each thing by itself in every reconcile, and say in the status that it is done only after the last write.',
};
const LEFT_OVER: Pattern = {
  pattern: 'A step that takes something away is not taken up again after a restart.',
  cure: 'Decide from what is there, not from what was done before: list what is owned, and delete what is not wanted.',
};
const UNKNOWN_RESULT: Pattern = {
  pattern:
    'A write that failed, or whose answer was lost, is taken for one that did nothing, or for one that was made.',
  cure: 'Read again after an error, treat AlreadyExists and NotFound as success, and let the next reconcile decide.',
};
const RECREATED: Pattern = {
  pattern: 'An object is deleted by its name on the word of an old view, although another has taken the name since.',
  cure: 'Delete with a uid precondition: client.delete(type, object), or preconditions: { uid }.',
};
const TWO_LEADERS: Pattern = {
  pattern: 'A process that was paused goes on as if it still led, and undoes what its successor has done.',
  cure: 'Write with the resourceVersion or uid that the decision was based on, so that the server refuses what is old; a lease alone does not fence.',
};
const STALE: Pattern = {
  pattern: 'The operator acts on an old view in a way that it does not take back when it sees the present.',
  cure: 'Compare what is with what is wanted in every reconcile; read live before what cannot be undone.',
};
const EDGE: Pattern = {
  pattern: 'The operator needs to see a change happen. When it only sees the result, it does something else.',
  cure: 'Decide from the state, not from the change: compare what is there with what the spec asks for, and use a finalizer for work that must be done before an object goes.',
};
const ORDER: Pattern = {
  pattern: 'The result depends on which of two things is seen first, or on how often it is looked at.',
  cure: 'Let every reconcile compute all it wants from what is there, and apply it.',
};
const DRIFT: Pattern = {
  pattern: 'The operator looks at what it owns when it makes it, and never again.',
  cure: 'Apply the whole child in every reconcile, and watch its kind with owns().',
};
const REPEATED: Pattern = {
  pattern: 'The operator does again what it has done, because it does not look whether it is done.',
  cure: 'Give objects names that follow from their owner, and look for them before you create or delete any.',
};
const FINALIZER: Pattern = {
  pattern: 'The finalizer is removed before its work is done.',
  cure: 'Remove the finalizer last: ctx.finalize(name, clean) does so once clean has succeeded.',
};
const UNSTABLE: Pattern = {
  pattern:
    'A reconcile that has nothing to do writes all the same: lists in changing order, times, counters, or fields that others set.',
  cure: 'Sort what has no order, compare before writing, and write only what changes.',
};
const STUCK: Pattern = {
  pattern: 'The operator meets a state that it made itself and cannot go on from.',
  cure: 'Handle AlreadyExists, NotFound and Conflict where they can happen, and make every step one that can be repeated.',
};
const UNHANDLED: Pattern = {
  pattern: 'A promise is not awaited, and its failure is heard by no code.',
  cure: 'Await every call in a reconcile.',
};
const LEAK: Pattern = {
  pattern: 'A watch is opened again and again, and never closed.',
  cure: 'Open watches where the controller is built, or dispose of them.',
};
