import { patternOf } from '../judge/patterns.ts';
import { type Finding, RESTARTED, signatureOf, type Violation } from '../model/finding.ts';
import type { Outcome } from '../trial/trial.ts';
import { storyOf } from './story.ts';
import { timelineOf } from './timeline.ts';

/** Returns the finding for a broken rule: summary, story, pattern and plan. */
export function findingOf(
  violations: readonly Violation[],
  outcome: Outcome,
  reference: Outcome,
  isExact = true,
): Finding {
  const [violation] = violations as [Violation];
  const { version, seed, scenario, faults } = outcome.plan;
  return {
    ...violation,
    summary: summaryOf(violation),
    story: storyOf(violation, outcome, reference),
    timelines: { withFaults: timelineOf(outcome), withoutFaults: timelineOf(reference) },
    ...patternOf(violation, faults),
    plan: { version, seed, scenario, faults, finding: signatureOf(violation), trace: outcome.trace },
    isExact,
    plans: 1,
  };
}

function summaryOf({ rule, subject, field, expected = '', found = '' }: Violation): string {
  switch (rule) {
    case 'end-state':
      if (field === undefined)
        return found === 'it is missing'
          ? `${subject} is missing in the end`
          : `${subject} is there in the end, and should not be`;
      if (found === 'it is missing') return `${subject} ends without ${field}`;
      if (found === 'it is there') return `${subject} ends with ${field}, which it has only after a fault`;
      return `${subject} ends with ${field} ${quoted(found)}, not ${quoted(expected)}`;
    case 'created-more-often':
      return `${subject} is created ${found}, without faults ${expected}`;
    case 'deleted-more-often':
      return `${subject} is deleted ${found}, without faults ${expected}`;
    case 'no-rest':
      return `The operator does not come to rest at ${subject}: ${found}`;
    case 'not-idempotent':
      return found === RESTARTED
        ? `A restart of the operator at rest changes ${subject}`
        : `One more reconcile of everything changes ${subject}`;
    case 'keeps-failing':
      return `The reconcile of ${subject} keeps failing: ${found}`;
    case 'deleted-another-object':
      return `${subject} is deleted by name: it is not the object that the operator had seen`;
    case 'finalizer-too-early':
      return `${subject} is left behind: ${expected.replace('it goes before', 'the finalizer was removed too early from')}`;
    case 'scenario-fails':
      return `The scenario fails: ${found}`;
    case 'invariant':
      return `“${subject}” does not hold: ${found}`;
    case 'unhandled-rejection':
      return `A rejected promise is not handled: ${found}`;
    case 'not-awaited':
      return `The reconcile of ${subject} ends before its calls: ${found}`;
    case 'watch-leak':
      return `The operator has ${found} open in the end, without faults ${expected}`;
  }
}

function quoted(text: string): string {
  return text.length > 60 ? `“${text.slice(0, 57)}…”` : `“${text}”`;
}
