import { RESTARTED, type Violation } from '../model/finding.ts';
import type { Ignored } from '../model/options.ts';
import type { FaultKind, PlannedFault } from '../model/plan.ts';
import type { TraceEntry } from '../trial/trace.ts';
import type { Outcome } from '../trial/trial.ts';
import { aligned, differencesOf, type Mask, type WorldDifference, withoutNumber } from '../world/compare.ts';
import type { Relations } from '../world/relations.ts';
import { A_TIME, readable, type World } from '../world/world.ts';

/** Runs that a run is compared with. */
export interface Baseline {
  /** Same scenario without faults. */
  readonly reference: Outcome;
  /** Objects of the same scenario when the operator is started at its end: they follow from the last state alone. */
  readonly fresh?: World | undefined;
  readonly mask: Mask;
  readonly relations?: Relations;
  readonly ignore: readonly Ignored[];
}

/** The operator misses events for a while: objects that were wanted only then may be missing. */
const WINDOWS: ReadonlySet<FaultKind> = new Set(['unseen', 'hurry', 'absent']);
/** Objects may be created and deleted more often: another client took part, or the operator saw old objects. */
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
/** Watches that may be open beyond those of the run without faults. */
const SPARE_WATCHES = 3;
/** Failures in a row; fewer may be conflicts. */
const FAILURES = 3;

/** True when a run is also compared with one in which the operator is started at the end. */
export function needsFresh({ kind }: PlannedFault): boolean {
  return WINDOWS.has(kind) || kind === 'deleted';
}

/** Returns the rules that a run broke, the most important first. */
export function judge(outcome: Outcome, baseline: Baseline): Violation[] {
  if (outcome.isInconclusive) return [];
  const violations = [
    ...blindDeletions(outcome),
    ...restlessness(outcome, baseline),
    ...endState(outcome, baseline),
    ...relations(outcome, baseline),
    ...counts(outcome, baseline),
    ...idempotence(outcome, baseline),
    ...failing(outcome, baseline),
    ...others(outcome, baseline),
  ];
  return violations.filter((violation) => !baseline.ignore.some((ignored) => isIgnored(violation, ignored)));
}

/** Returns the rules that a run without faults broke. */
export function judgeFaultless(outcome: Outcome, ignore: readonly Ignored[]): Violation[] {
  const nothing: Outcome = {
    ...outcome,
    entries: [],
    failures: new Map(),
    unawaited: new Map(),
    rejections: [],
    restless: undefined,
  };
  const baseline = { reference: nothing, mask: undefined, ignore };
  const violations = [
    ...restlessness(outcome, baseline),
    ...idempotence(outcome, baseline),
    ...forgotten(outcome),
    ...failing(outcome, baseline),
    ...others(outcome, { reference: { ...nothing, watches: outcome.watches } }),
  ];
  return violations.filter((violation) => !ignore.some((ignored) => isIgnored(violation, ignored)));
}

function blindDeletions({ blindDeletions: found }: Outcome): Violation[] {
  return found.map(({ object }) => ({ rule: 'deleted-another-object', subject: object }));
}

function restlessness(outcome: Outcome, { reference }: Pick<Baseline, 'reference'>): Violation[] {
  if (outcome.restless !== undefined && reference.restless === undefined)
    return [{ rule: 'no-rest', subject: lastWritten(outcome), found: outcome.restless }];
  const before = new Set(changed(reference, 'quiet'));
  return unique(changed(outcome, 'quiet').filter((object) => !before.has(object))).map((subject) => ({
    rule: 'no-rest',
    subject,
    found: 'it is written although nothing has changed',
  }));
}

function idempotence(outcome: Outcome, { reference }: Pick<Baseline, 'reference'>): Violation[] {
  const before = new Set([...changed(reference, 'again'), ...changed(reference, 'quiet')]);
  return unique(changed(outcome, 'again').filter((object) => !before.has(object))).map((subject) => ({
    rule: 'not-idempotent',
    subject,
    found: 'one more reconcile of everything changes it',
  }));
}

/** Returns objects that a restarted operator gave another spec or data. */
function forgotten(outcome: Outcome): Violation[] {
  const written = new Set(changed(outcome, 'restarted'));
  const unstable = new Set([...changed(outcome, 'again'), ...changed(outcome, 'quiet')]);
  return outcome.changedByRestart
    .filter((object) => !unstable.has(object) && [...written].some((each) => each === withoutNumber(object)))
    .map((subject) => ({ rule: 'not-idempotent', subject, found: RESTARTED }));
}

/** Returns the objects that the operator changed in a phase. */
function changed({ entries }: Outcome, phase: TraceEntry['phase']): string[] {
  return entries.filter((entry) => isEffect(entry) && entry.phase === phase).map(({ object }) => object);
}

function endState(outcome: Outcome, baseline: Baseline): Violation[] {
  const { reference, mask } = baseline;
  if (outcome.isCutShort || outcome.restless !== undefined) return [];
  const violations = differencesOf(reference.world, outcome.world, mask)
    .filter((difference) => !isMeant(difference, outcome, baseline))
    .map((difference) => violationOf(wholeItem(difference, outcome, reference), outcome, reference))
    .sort((a, b) => weightOf(a) - weightOf(b));
  return violations.filter((violation, index) => {
    const first = violations.findIndex(
      (other) => other.subject === violation.subject && other.field === violation.field,
    );
    return first === index;
  });
}

/** Returns fields that differ by chance and should be equal. */
function relations(outcome: Outcome, { relations: known, reference, mask }: Baseline): Violation[] {
  if (outcome.isCutShort || outcome.restless !== undefined || known === undefined) return [];
  return known.brokenIn(aligned(reference.world, outcome.world, mask)).map(({ one, other }) => ({
    rule: 'end-state',
    subject: other.object,
    field: other.field,
    expected: `the value of ${one.field} in ${one.object}`,
    found: 'another value',
  }));
}

/** Returns the item of a list, such as `status.conditions[Ready]`, where one of the runs has no field of it. */
function wholeItem(difference: WorldDifference, outcome: Outcome, reference: Outcome): WorldDifference {
  if (difference.kind !== 'field') return difference;
  const { object, field } = difference;
  for (let end = field.indexOf(']'); end >= 0; end = field.indexOf(']', end + 1)) {
    const item = field.slice(0, end + 1);
    const has = ({ world }: Outcome): boolean =>
      [...(world.get(object)?.fields.keys() ?? [])].some((other) => other === item || other.startsWith(`${item}.`));
    const [isExpected, isFound] = [has(reference), has(outcome)];
    if (isExpected !== isFound)
      return {
        kind: 'field',
        object,
        field: item,
        expected: isExpected ? THERE : MISSING,
        found: isFound ? THERE : MISSING,
      };
  }
  return difference;
}

type FieldDifference = WorldDifference & { readonly kind: 'field' };

const THERE = 'it is there';
const MISSING = 'it is missing';

/** Objects come before fields, and spec before status and metadata. */
function weightOf({ field }: Violation): number {
  return field === undefined ? 0 : field.startsWith('status') || field.startsWith('metadata') ? 2 : 1;
}

function violationOf(difference: WorldDifference, outcome: Outcome, reference: Outcome): Violation {
  const { object: subject } = difference;
  if (difference.kind === 'missing') return { rule: 'end-state', subject, expected: THERE, found: MISSING };
  if (difference.kind === 'extra') {
    const isLeft = isLeftByFinalizer(subject, outcome, reference);
    return isLeft === undefined
      ? { rule: 'end-state', subject, expected: 'it is not there', found: 'it is there' }
      : { rule: 'finalizer-too-early', subject, expected: `it goes before ${isLeft}`, found: 'it is left behind' };
  }
  const { field, expected = '(nothing)', found = '(nothing)' } = difference;
  return { rule: 'end-state', subject, field, expected, found };
}

/** Returns the object whose finalizer was removed before the operator deleted another that it deletes first without faults. */
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
 * True when an operator without mistakes may cause the difference: it missed the event that asked for an object, it created an
 * object while it saw old objects, or the field tells of the history of the object.
 */
function isMeant(difference: WorldDifference, outcome: Outcome, baseline: Baseline): boolean {
  const struck = [...outcome.struck];
  const hasWindow = struck.some(({ kind }) => WINDOWS.has(kind));
  switch (difference.kind) {
    case 'missing':
      if (struck.some(({ kind }) => kind === 'deleted') && isPast(difference.object, baseline)) return true;
      return (
        hasWindow &&
        (isMissed(difference.object, struck, outcome, baseline) || isOfHistory(difference.object, baseline))
      );
    case 'extra':
      if (
        hasWindow &&
        (isUnknown(difference.object, outcome, baseline) || isKept(difference.object, outcome, baseline))
      )
        return true;
      // Objects that the operator creates while it sees old objects were wanted then; new ones never were. With a generated name
      // it is one more of its kind, which nothing tells from those that are wanted.
      return isNovel(difference.object, baseline)
        ? hasWindow
        : !isOneMore(difference.object) &&
            outcome.entries.some(
              (entry) =>
                entry.isInPast && isCreation(entry) && isEffect(entry) && isSameObject(entry, difference.object),
            );
    case 'field':
      // A started operator would not look at it: an earlier state asked for it.
      if (hasWindow && baseline.fresh !== undefined && isForgotten(difference.object, baseline)) return true;
      if (hasWindow && isOfHistory(difference.object, baseline)) return true;
      if (isCount(difference, baseline)) return true;
      // Messages and reasons may tell of the history.
      if (MESSAGE.test(difference.field) || (hasWindow && HISTORY.test(difference.field))) return true;
      return isTimeOnly(difference) && (hasWindow || difference.field.startsWith('metadata.annotations.'));
  }
}

/** True when only one of them has a time, which tells of the history. */
function isTimeOnly({
  expected,
  found,
}: {
  readonly expected: string | undefined;
  readonly found: string | undefined;
}) {
  return (expected === A_TIME && found === undefined) || (expected === undefined && found === A_TIME);
}

/** True when an operator that is started at the end does not create it; without such a run, when it was created in the window. */
function isMissed(
  object: string,
  struck: readonly PlannedFault[],
  { world }: Outcome,
  { reference, fresh }: Baseline,
): boolean {
  // Of objects with generated names only the number counts.
  if (fresh !== undefined)
    return isGenerated(object)
      ? countOf(object, fresh) <= countOf(object, world)
      : !fresh.has(object) && !isLeftOver(object, reference);
  const spans = struck.filter(({ kind }) => WINDOWS.has(kind)).map((fault) => spanOf(fault, reference));
  const made = reference.entries.filter((entry) => isCreation(entry) && isSameObject(entry, object)).at(-1);
  return made !== undefined && spans.some(([from, until]) => made.rest >= from && made.rest <= until);
}

/**
 * True for a child that an earlier state asked for and that still exists. Data that is kept on purpose has no owner; Jobs and their
 * pods are history, and so is a series of which the operator deletes none.
 */
function isLeftOver(object: string, { world, entries }: Outcome): boolean {
  const isOwned = world.get(object)?.fields.get('metadata.ownerReferences.0.uid') === 'present';
  if (!isOwned || object.includes('*') || HISTORY_KINDS.test(object)) return false;
  return !isHistory(object, entries);
}

/**
 * True for a series that the operator never shortens, or whose oldest it deletes: a history with a cap. One that deletes others of
 * the resource cleans up.
 */
function isHistory(object: string, entries: readonly TraceEntry[]): boolean {
  if (!isOfSeries(object, entries)) return false;
  const [resource] = object.split(' ');
  const series = seriesOf(object);
  const existing: string[] = [];
  for (const entry of entries) {
    if (!entry.hasEffect || entry.subresource !== '') continue;
    const isMember = seriesOf(entry.object) === series;
    if (isMember && isCreation(entry)) existing.push(entry.object);
    else if (isRemoval(entry) && entry.resource === resource) {
      const index = existing.indexOf(entry.object);
      if (isEffect(entry) && (!isMember || index !== 0 || existing.length === 1)) return false;
      if (index >= 0) existing.splice(index, 1);
    }
  }
  return true;
}

/** True for one of a history that holds something else where an earlier state was missed: it is numbered by a count. */
function isOfHistory(object: string, { reference, fresh }: Baseline): boolean {
  if (fresh === undefined || !isHistory(object, reference.entries)) return false;
  const [expected, other] = [reference.world.get(object)?.fields, fresh.get(object)?.fields];
  return [...(expected ?? [])].some(([field, value]) => other?.get(field) !== value);
}

/** True for one of a history that a cap keeps, because fewer were made after it. */
function isKept(object: string, { world }: Outcome, { reference }: Baseline): boolean {
  const count = (all: World): number => [...all.keys()].filter((key) => seriesOf(key) === seriesOf(object)).length;
  return isHistory(object, reference.entries) && count(world) <= count(reference.world);
}

/**
 * True for a number, or a text with one, that depends on what the operator has seen, or on what was there before another client
 * deleted it: an operator that is started at the end has another number than without faults.
 */
function isCount({ object, field, expected, found }: FieldDifference, { fresh }: Baseline): boolean {
  const texts = [expected, found, fresh?.get(object)?.fields.get(field)].map((text) => readable(object, field, text));
  const [first, ...others] = texts.map((text) => text?.replace(/\d+/g, '#'));
  return first?.includes('#') === true && others.every((other) => other === first) && texts[2] !== texts[0];
}

/**
 * True for an object that others made, and that the operator would have to know: it wrote nothing before the step in which it
 * deletes the object without faults.
 */
function isUnknown(object: string, { entries }: Outcome, { reference, fresh }: Baseline): boolean {
  const isMade = (entry: TraceEntry): boolean => isEffect(entry) && isCreation(entry) && isSameObject(entry, object);
  const deleted = reference.entries.findLast((entry) => isEffect(entry) && isSameObject(entry, object));
  if (fresh?.has(object) !== true || deleted === undefined) return false;
  if (reference.entries.some(isMade) || entries.some(isMade)) return false;
  return !entries.some((entry) => isEffect(entry) && entry.rest <= deleted.rest);
}

function isGenerated(object: string): boolean {
  return object.includes('*');
}

function countOf(object: string, world: World): number {
  return [...world.keys()].filter((key) => withoutNumber(key) === withoutNumber(object)).length;
}

/**
 * True for one of several objects whose names differ in a number or a hash, made one at a time: builds and backups, one for each
 * revision. Replicas are made several at a time, and what a feature needs has a name of its own.
 */
function isOfSeries(object: string, entries: readonly TraceEntry[]): boolean {
  const series = seriesOf(object);
  if (series === object) return false;
  const made = new Map<string, number>();
  for (const entry of entries)
    if (isEffect(entry) && isCreation(entry) && seriesOf(entry.object) === series) made.set(entry.object, entry.rest);
  return made.size > 1 && new Set(made.values()).size === made.size;
}

/** `configmaps default/web-3` is one of `configmaps default/web-#`. */
function seriesOf(object: string): string {
  return object.replace(/(?<=[-./])[^-./ ]*\d[^-./ ]*/g, '#');
}

/** True for an object of a history that the last state does not ask for: once another client has deleted it, nothing brings it back. */
function isPast(object: string, { reference, fresh }: Baseline): boolean {
  return fresh?.has(object) === false && !isLeftOver(object, reference);
}

/** True for a child that an operator without a past does not make, and that is not of a resource that it cleans up. */
function isForgotten(object: string, { reference, fresh }: Baseline): boolean {
  const wasMade = reference.entries.some(
    (entry) => isEffect(entry) && isCreation(entry) && isSameObject(entry, object),
  );
  return wasMade && !fresh!.has(object) && !isLeftOver(object, reference);
}

const HISTORY_KINDS = /^(?:jobs\.batch|pods|replicasets\.apps) /;

/** True for an object without a generated name that no run without faults has: its name tells of the history. */
function isNovel(object: string, { reference, fresh }: Baseline): boolean {
  if (object.includes('*') || fresh?.has(object)) return false;
  return !reference.entries.some((entry) => entry.hasEffect && isSameObject(entry, object));
}

/** True for a further object with the same generated name: `pods default/web-*(2)`. */
function isOneMore(object: string): boolean {
  return /\(\d+\)$/.test(object);
}

const MESSAGE = /^status\.(?:.*\.)?message$/;
const HISTORY = /^status\.(?:.*\.)?reason$|revision$/i;

/** Returns the rests between which the operator misses events. */
function spanOf(fault: PlannedFault, { entries }: Outcome): readonly [number, number] {
  const restOf = (wanted: string, otherwise: number): number =>
    entries.find(({ point }) => point === wanted)?.rest ?? otherwise;
  if (fault.kind === 'hurry') return [fault.rest - 1, fault.rest - 1];
  if (fault.kind === 'absent') return [fault.from, fault.until - 1];
  if (fault.kind === 'unseen') return [restOf(fault.from, 0), restOf(fault.until, Number.POSITIVE_INFINITY)];
  return [0, -1];
}

function counts(outcome: Outcome, { reference }: Baseline): Violation[] {
  const kinds = [...outcome.struck].map(({ kind }) => kind);
  if (kinds.some((kind) => UNCOUNTED.has(kind))) return [];
  // A run that ended early is compared with the same part of the other.
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

/** True when the operator created the object while it saw old objects, and may delete it again. */
function isOfPast({ uid }: TraceEntry, { entries }: Outcome): boolean {
  return uid !== '' && entries.some((entry) => entry.isInPast && isCreation(entry) && entry.uid === uid);
}

function tally(entries: readonly TraceEntry[], isCounted: (entry: TraceEntry) => boolean): Map<string, number> {
  const counted = new Map<string, number>();
  for (const entry of entries)
    if (isEffect(entry) && entry.phase !== 'again' && entry.phase !== 'restarted' && isCounted(entry))
      counted.set(entry.object, (counted.get(entry.object) ?? 0) + 1);
  return counted;
}

/** Returns reconciles that fail at the end, when every object is reconciled once more, and failed before. */
function failing(outcome: Outcome, { reference }: Pick<Baseline, 'reference'>): Violation[] {
  return [...outcome.failures]
    .filter(
      ([reconcile, { phase, inRow }]) => phase === 'again' && inRow >= FAILURES && !reference.failures.has(reconcile),
    )
    .map(([subject, { error }]) => ({ rule: 'keeps-failing', subject, found: error }));
}

function others(outcome: Outcome, { reference }: Pick<Baseline, 'reference'>): Violation[] {
  const known = new Set(reference.rejections);
  return [
    ...outcome.broken.map(({ name, message }): Violation => ({ rule: 'invariant', subject: name, found: message })),
    ...(outcome.scenarioError === undefined
      ? []
      : [{ rule: 'scenario-fails', subject: 'the scenario', found: outcome.scenarioError } as const]),
    ...outcome.rejections
      .filter((message) => !known.has(message))
      .map((found): Violation => ({ rule: 'unhandled-rejection', subject: 'the operator', found })),
    ...[...outcome.unawaited]
      .filter(([reconcile]) => !reference.unawaited.has(reconcile))
      .map(([subject, found]): Violation => ({ rule: 'not-awaited', subject, found })),
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

/** Compares without the number of objects with the same generated name: `pods default/web-*(2)`. */
function isSameObject({ object }: TraceEntry, key: string): boolean {
  return object === withoutNumber(key);
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
