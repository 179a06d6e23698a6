import type { Violation } from '../model/finding.ts';
import type { Ignored } from '../model/options.ts';
import type { FaultKind, PlannedFault } from '../model/plan.ts';
import type { TraceEntry } from '../trial/trace.ts';
import type { Outcome } from '../trial/trial.ts';
import { differencesOf, type Mask, type WorldDifference } from '../world/compare.ts';
import { A_TIME, type World } from '../world/world.ts';

export interface JudgeGround {
  /** The same scenario without faults. */
  readonly reference: Outcome;
  /** The same scenario, and the operator was started in the end: what follows from the last state alone. */
  readonly fresh?: World | undefined;
  readonly mask: Mask;
  readonly ignore: readonly Ignored[];
}

/** The operator misses what happens meanwhile: it need not make what was only wanted then. */
const WINDOWS: ReadonlySet<FaultKind> = new Set(['unseen', 'hurry', 'absent']);
/** Objects may be created and deleted more often: another client took part, or the operator could not know. */
const UNCOUNTED: ReadonlySet<FaultKind> = new Set([
  'unseen',
  'hurry',
  'absent',
  'late',
  'paused',
  'put-off',
  'deleted',
  'edited',
]);
/** Watches of single objects may differ from run to run; a leak has no end. */
const SPARE_WATCHES = 3;
/** A reconcile that fails so often in a row does not only meet a conflict. */
const FAILURES = 3;

/** True when a fault keeps the operator from seeing what happens for a while. */
export function isWindow({ kind }: PlannedFault): boolean {
  return WINDOWS.has(kind);
}

/** Returns the rules that a run broke, the most telling first. */
export function judge(outcome: Outcome, ground: JudgeGround): Violation[] {
  if (outcome.isInconclusive) return [];
  const violations = [
    ...blindDeletions(outcome),
    ...restlessness(outcome, ground),
    ...endState(outcome, ground),
    ...counts(outcome, ground),
    ...idempotence(outcome, ground),
    ...failing(outcome, ground),
    ...others(outcome, ground),
  ];
  return violations.filter((violation) => !ground.ignore.some((ignored) => isIgnored(violation, ignored)));
}

/** Returns what a run without any fault shows by itself. */
export function judgeFaultless(outcome: Outcome, ignore: readonly Ignored[]): Violation[] {
  const nothing: Outcome = { ...outcome, entries: [], failures: [], rejections: [], restless: undefined };
  const ground = { reference: nothing, mask: undefined, ignore };
  const violations = [
    ...restlessness(outcome, ground),
    ...idempotence(outcome, ground),
    ...failing(outcome, ground),
    ...others(outcome, { reference: { ...nothing, watches: outcome.watches } }),
  ];
  return violations.filter((violation) => !ignore.some((ignored) => isIgnored(violation, ignored)));
}

function blindDeletions({ blindDeletions: found }: Outcome): Violation[] {
  return found.map(({ object }) => ({ rule: 'deleted-another-object', subject: object }));
}

function restlessness(outcome: Outcome, { reference }: Pick<JudgeGround, 'reference'>): Violation[] {
  if (outcome.restless !== undefined && reference.restless === undefined)
    return [{ rule: 'no-rest', subject: lastWritten(outcome), found: outcome.restless }];
  const before = new Set(changed(reference, 'quiet'));
  return unique(changed(outcome, 'quiet').filter((object) => !before.has(object))).map((subject) => ({
    rule: 'no-rest',
    subject,
    found: 'it is written although nothing happens',
  }));
}

function idempotence(outcome: Outcome, { reference }: Pick<JudgeGround, 'reference'>): Violation[] {
  const before = new Set([...changed(reference, 'again'), ...changed(reference, 'quiet')]);
  return unique(changed(outcome, 'again').filter((object) => !before.has(object))).map((subject) => ({
    rule: 'not-idempotent',
    subject,
    found: 'one more reconcile of everything changes it',
  }));
}

/** Objects that the operator changed in a part of the run. */
function changed({ entries }: Outcome, phase: TraceEntry['phase']): string[] {
  return entries.filter((entry) => isEffect(entry) && entry.phase === phase).map(({ object }) => object);
}

function endState(outcome: Outcome, ground: JudgeGround): Violation[] {
  const { reference, mask } = ground;
  if (outcome.isCutShort || outcome.restless !== undefined) return [];
  return differencesOf(reference.world, outcome.world, mask)
    .filter((difference) => !isMeant(difference, outcome, ground))
    .map((difference) => violationOf(difference, outcome, reference))
    .sort((a, b) => weightOf(a) - weightOf(b));
}

/** Whole objects tell more than their fields, and what is wanted more than what is told of it. */
function weightOf({ field }: Violation): number {
  return field === undefined ? 0 : field.startsWith('status') || field.startsWith('metadata') ? 2 : 1;
}

function violationOf(difference: WorldDifference, outcome: Outcome, reference: Outcome): Violation {
  const { object: subject } = difference;
  if (difference.kind === 'missing')
    return { rule: 'end-state', subject, expected: 'it is there', found: 'it is missing' };
  if (difference.kind === 'extra') {
    const isLeft = isLeftByFinalizer(subject, outcome, reference);
    return isLeft === undefined
      ? { rule: 'end-state', subject, expected: 'it is not there', found: 'it is there' }
      : { rule: 'finalizer-too-early', subject, expected: `it goes before ${isLeft}`, found: 'it is left behind' };
  }
  const { field, expected = '(nothing)', found = '(nothing)' } = difference;
  return { rule: 'end-state', subject, field, expected, found };
}

/** The object whose finalizer was to see to the removal of another, when it was let go before. */
function isLeftByFinalizer(subject: string, outcome: Outcome, reference: Outcome): string | undefined {
  const removed = reference.entries.findIndex(
    (entry) => isEffect(entry) && entry.object === subject && isRemoval(entry),
  );
  if (removed < 0) return undefined;
  const isRelease = (entry: TraceEntry): boolean => isEffect(entry) && entry.isGone && !isRemoval(entry);
  const release = reference.entries.slice(removed).find(isRelease);
  if (release === undefined) return undefined;
  return outcome.entries.some((entry) => isRelease(entry) && entry.object === release.object)
    ? release.object
    : undefined;
}

/**
 * What was only wanted while the operator could not see it need not be made, and what it makes in the past may stay. What
 * depends on the way to a state may differ when the operator missed a part of the way.
 */
function isMeant(difference: WorldDifference, outcome: Outcome, ground: JudgeGround): boolean {
  const struck = [...outcome.struck];
  const hasWindow = struck.some(({ kind }) => WINDOWS.has(kind));
  switch (difference.kind) {
    case 'missing':
      return hasWindow && isMissed(difference.object, struck, ground);
    case 'extra':
      // Made in the past, it was wanted then; an object that was never wanted is none of the past.
      return isNovel(difference.object, ground)
        ? hasWindow
        : outcome.entries.some(
            (entry) => entry.isInPast && isCreation(entry) && isEffect(entry) && isSameObject(entry, difference.object),
          );
    case 'field':
      // A status may tell in other words how it came about.
      if (MESSAGE.test(difference.field) || (hasWindow && HISTORY.test(difference.field))) return true;
      return isTimeOnly(difference) && (hasWindow || difference.field.startsWith('metadata.annotations.'));
  }
}

/** Only one of them has a time: it tells when something happened, not what is so. */
function isTimeOnly({
  expected,
  found,
}: {
  readonly expected: string | undefined;
  readonly found: string | undefined;
}) {
  return (expected === A_TIME && found === undefined) || (expected === undefined && found === A_TIME);
}

/** An operator that is started in the end does not make it either. Where that is not known, it was made meanwhile. */
function isMissed(object: string, struck: readonly PlannedFault[], { reference, fresh }: JudgeGround): boolean {
  if (fresh !== undefined) return !fresh.has(object) && !isLeftOver(object, reference);
  const spans = struck.filter(({ kind }) => WINDOWS.has(kind)).map((fault) => spanOf(fault, reference));
  const made = reference.entries.filter((entry) => isCreation(entry) && isSameObject(entry, object)).at(-1);
  return made !== undefined && spans.some(([from, until]) => made.rest >= from && made.rest <= until);
}

/**
 * A child that an earlier state asked for, and that is still there: an operator that is started in the end does not make it.
 * What is kept on purpose, as data, has no owner; Jobs and their pods are history.
 */
function isLeftOver(object: string, { world }: Outcome): boolean {
  const isOwned = world.get(object)?.fields.get('metadata.ownerReferences.0.uid') === 'present';
  return isOwned && !object.includes('*') && !HISTORY_KINDS.test(object);
}

const HISTORY_KINDS = /^(?:jobs\.batch|pods|replicasets\.apps) /;

/** An object that no run without faults has ever had, of a name that is not made up: named after the way to it. */
function isNovel(object: string, { reference, fresh }: JudgeGround): boolean {
  if (object.includes('*') || fresh?.has(object)) return false;
  return !reference.entries.some((entry) => entry.hasEffect && isSameObject(entry, object));
}

const MESSAGE = /^status\.(?:.*\.)?message$/;
const HISTORY = /^status\.(?:.*\.)?reason$|revision$/i;

/** The rests between which a fault keeps the operator from seeing. */
function spanOf(fault: PlannedFault, { entries }: Outcome): readonly [number, number] {
  const restOf = (wanted: string, otherwise: number): number =>
    entries.find(({ point }) => point === wanted)?.rest ?? otherwise;
  if (fault.kind === 'hurry') return [fault.rest - 1, fault.rest - 1];
  if (fault.kind === 'absent') return [fault.from, fault.until - 1];
  if (fault.kind === 'unseen') return [restOf(fault.from, 0), restOf(fault.until, Number.POSITIVE_INFINITY)];
  return [0, -1];
}

function counts(outcome: Outcome, { reference }: JudgeGround): Violation[] {
  const kinds = [...outcome.struck].map(({ kind }) => kind);
  if (kinds.some((kind) => UNCOUNTED.has(kind))) return [];
  // A run that was cut short is compared with what had happened until then.
  const isThen = ({ rest }: TraceEntry): boolean => rest < outcome.rests;
  const before = outcome.isCutShort ? { ...reference, entries: reference.entries.filter(isThen) } : reference;
  return [
    ...(kinds.includes('past') ? [] : moreOften('created-more-often', outcome, before, isCreation)),
    ...moreOften(
      'deleted-more-often',
      outcome,
      before,
      (entry) => isRemoval(entry) && !entry.isCatchingUp && !isOfPast(entry, outcome),
    ),
  ];
}

function moreOften(
  rule: 'created-more-often' | 'deleted-more-often',
  outcome: Outcome,
  reference: Outcome,
  isCounted: (entry: TraceEntry) => boolean,
): Violation[] {
  const [before, after] = [reference, outcome].map(({ entries }) => tally(entries, isCounted));
  return [...after!]
    .filter(([object, count]) => count > (before!.get(object) ?? 0))
    .map(([subject, count]) => ({
      rule,
      subject,
      expected: times(before!.get(subject) ?? 0),
      found: times(count),
    }));
}

/** The object came into being while the operator was shown the past: it takes back what it did there. */
function isOfPast({ uid }: TraceEntry, { entries }: Outcome): boolean {
  return uid !== '' && entries.some((entry) => entry.isInPast && isCreation(entry) && entry.uid === uid);
}

function tally(entries: readonly TraceEntry[], isCounted: (entry: TraceEntry) => boolean): Map<string, number> {
  const counted = new Map<string, number>();
  for (const entry of entries)
    if (isEffect(entry) && entry.phase !== 'again' && isCounted(entry))
      counted.set(entry.object, (counted.get(entry.object) ?? 0) + 1);
  return counted;
}

function failing(outcome: Outcome, { reference }: Pick<JudgeGround, 'reference'>): Violation[] {
  const fails = ({ failures }: Outcome): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (const { phase, reconcile, error } of failures)
      if (phase === 'again') found.set(reconcile, [...(found.get(reconcile) ?? []), error]);
    return found;
  };
  const before = fails(reference);
  return [...fails(outcome)]
    .filter(([reconcile, errors]) => errors.length >= FAILURES && !before.has(reconcile))
    .map(([subject, errors]) => ({ rule: 'keeps-failing', subject, found: errors.at(-1) ?? '' }));
}

function others(outcome: Outcome, { reference }: Pick<JudgeGround, 'reference'>): Violation[] {
  const known = new Set(reference.rejections);
  return [
    ...outcome.broken.map(({ name, message }): Violation => ({ rule: 'invariant', subject: name, found: message })),
    ...(outcome.scenarioError === undefined
      ? []
      : [{ rule: 'scenario-fails', subject: 'the scenario', found: outcome.scenarioError } as const]),
    ...outcome.rejections
      .filter((message) => !known.has(message))
      .map((found): Violation => ({ rule: 'unhandled-rejection', subject: 'the operator', found })),
    ...(outcome.watches > reference.watches + SPARE_WATCHES && !outcome.isCutShort
      ? [
          {
            rule: 'watch-leak',
            subject: 'the operator',
            expected: `${reference.watches} watches`,
            found: `${outcome.watches} watches`,
          } as const,
        ]
      : []),
  ];
}

function isEffect({ party, hasEffect }: TraceEntry): boolean {
  return party === 'operator' && hasEffect;
}

function isCreation({ verb, status, subresource }: TraceEntry): boolean {
  return subresource === '' && status === 201 && (verb === 'create' || verb === 'patch' || verb === 'update');
}

function isRemoval({ verb }: TraceEntry): boolean {
  return verb === 'delete' || verb === 'deletecollection';
}

/** Of objects with the same made-up name there are several: `pods default/web-*(2)`. */
function isSameObject({ object }: TraceEntry, key: string): boolean {
  return object === key.replace(/\(\d+\)$/, '');
}

function lastWritten({ entries }: Outcome): string {
  return entries.findLast(isEffect)?.object ?? 'the operator';
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function isIgnored({ rule, subject, field = '' }: Violation, ignored: Ignored): boolean {
  return (
    (ignored.rule === undefined || ignored.rule === rule) &&
    (ignored.object === undefined || isLike(subject, ignored.object)) &&
    (ignored.field === undefined || isLike(field, ignored.field))
  );
}

/** `*` stands for any run of characters. */
export function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = rest.at(-1)!;
  return text.length - last.length >= at && text.endsWith(last);
}
