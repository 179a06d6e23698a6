import { SeededRandom } from '@pintle/async';
import type { FaultKind, PlannedFault } from '../model/plan.ts';
import type { TraceEntry } from '../trial/trace.ts';
import type { Outcome } from '../trial/trial.ts';
import { differencesOf, type Mask } from '../world/compare.ts';

/** Faults for one run, and why they were chosen. */
export type Faults = readonly PlannedFault[];

/** So many combinations are drawn before it is said that there are no more. */
const MAX_DRAWS = 200;
/** Told apart from others alone: what another client does, and two processes at once. */
const ALONE: ReadonlySet<FaultKind> = new Set(['deleted', 'edited', 'paused']);
/** Editing more fields of one object tells nothing new. */
const MAX_EDITS = 2;

interface PlannerOptions {
  readonly seed: number | string;
  readonly isElected?: boolean;
}

/** Chooses what is to go wrong, from what a run without faults has shown: the cheapest and most telling first. */
export class Planner {
  readonly #reference: Outcome;
  readonly #mask: Mask;
  readonly #seed: number | string;
  readonly #isElected: boolean;

  /** `isElected`: several processes compete for a lease. */
  constructor(reference: Outcome, mask: Mask, { seed, isElected = false }: PlannerOptions) {
    this.#reference = reference;
    this.#mask = mask;
    this.#seed = seed;
    this.#isElected = isElected;
  }

  /** All plans with one fault, each once, in the order in which they are to be run. */
  singles(): Faults[] {
    const families = [
      this.#crashes(),
      this.#lostAnswers(),
      this.#absences(),
      this.#pasts().flatMap(({ fault, isNear }) => (isNear ? [fault] : [])),
      this.#unseen(),
      this.#hurries(),
      this.#conflicts(),
      this.#late(),
      this.#deletions(),
      this.#edits(),
      this.#paused(),
      this.#again(),
      this.#putOff(),
      this.#crashesBefore(),
      this.#refusals(),
      this.#pasts().map(({ fault }) => fault),
    ];
    const seen = new Set<string>();
    return families.flat().flatMap((fault) => {
      const text = JSON.stringify(fault);
      if (seen.has(text)) return [];
      seen.add(text);
      return [[fault]];
    });
  }

  /** Pairs of them, by the seed, each once, without end unless there are few. */
  *pairs(): Generator<Faults> {
    const singles = this.singles()
      .flat()
      .filter(({ kind }) => !ALONE.has(kind));
    const random = new SeededRandom(`${this.#seed}/pairs`);
    const seen = new Set<string>();
    for (let draws = 0; draws < MAX_DRAWS && singles.length > 1; draws++) {
      const pair = [singles[random.below(singles.length)]!, singles[random.below(singles.length)]!];
      const text = JSON.stringify(pair);
      if (pair[0] === pair[1] || isContrary(pair) || seen.has(text)) continue;
      seen.add(text);
      draws = 0;
      yield pair;
    }
  }

  /** Faults at points that are drawn, without regard to what they may do: for comparison. */
  *random(): Generator<Faults> {
    const random = new SeededRandom(`${this.#seed}/random`);
    const calls = this.#calls();
    if (calls.length === 0) return;
    const draw = (): PlannedFault => {
      const { point, resource, hasEffect } = calls[random.below(calls.length)]!;
      const what = random.below(4);
      if (what === 0) return { kind: 'crash', after: point };
      if (what === 1) return { kind: 'lost-answer', at: point };
      if (what === 2 || !hasEffect) return { kind: 'refused', at: point, code: [409, 410, 429, 500][random.below(4)]! };
      return { kind: 'late', resource, from: point };
    };
    for (;;) yield Array.from({ length: 1 + random.below(3) }, draw);
  }

  #crashes(): PlannedFault[] {
    return this.#writes().map(({ point }) => ({ kind: 'crash', after: point }));
  }

  #crashesBefore(): PlannedFault[] {
    return this.#writes().map(({ point }) => ({ kind: 'crash-before', at: point }));
  }

  #lostAnswers(): PlannedFault[] {
    return this.#writes().map(({ point }) => ({ kind: 'lost-answer', at: point }));
  }

  #again(): PlannedFault[] {
    return this.#writes().map(({ point }) => ({ kind: 'again', after: point }));
  }

  /** The process goes on when the next step is done, and when all are. */
  #paused(): PlannedFault[] {
    const { rests } = this.#reference;
    if (!this.#isElected) return [];
    return this.#writes().flatMap(({ point, rest }): PlannedFault[] =>
      [...new Set([Math.min(rest + 2, rests), rests])]
        .filter((until) => until > rest)
        .map((until) => ({ kind: 'paused', at: point, until })),
    );
  }

  /** Each reconcile, where there are others that could come first. */
  #putOff(): PlannedFault[] {
    const { reconciles } = this.#reference;
    if (new Set(reconciles.map(({ reconcile }) => reconcile)).size < 2) return [];
    return reconciles.map(({ reconcile, nth }) => ({ kind: 'put-off', reconcile, nth }));
  }

  /** What is created, or applied for the first time, has no older version. */
  #conflicts(): PlannedFault[] {
    return this.#writes()
      .filter(({ verb, status }) => verb !== 'create' && verb !== 'deletecollection' && status !== 201)
      .map(({ point }) => ({ kind: 'conflict', at: point }));
  }

  #refusals(): PlannedFault[] {
    return this.#calls().flatMap(({ point, verb }): PlannedFault[] => {
      const codes = verb === 'list' || verb === 'watch' ? [500, 410, 429] : [500, 429];
      return codes.map((code) => ({ kind: 'refused', at: point, code }));
    });
  }

  /** Between two rests, from the beginning, until the end, then any other. */
  #absences(): PlannedFault[] {
    const { rests } = this.#reference;
    const spans: [number, number][] = [];
    for (let from = 0; from < rests; from++) spans.push([from, from + 1]);
    for (let until = rests; until > 1; until--) spans.push([0, until]);
    for (let from = 1; from < rests; from++)
      for (let until = from + 2; until <= rests; until++) spans.push([from, until]);
    return spans.map(([from, until]) => ({ kind: 'absent', from, until }));
  }

  /**
   * The operator is shown the past as it was after each write of others, at each later rest. Where the operator answered
   * the write with a deletion comes first: a deletion is what cannot be taken back. Near are the next two rests and the
   * last.
   */
  #pasts(): { readonly fault: PlannedFault; readonly isNear: boolean }[] {
    const { rests } = this.#reference;
    const deletes = new Set(
      this.#writes()
        .filter(isRemoval)
        .map(({ rest }) => rest),
    );
    const points = this.#effects().filter(({ party }) => party !== 'operator');
    const own = this.#writes();
    const ordered = [
      ...points.filter(({ rest }) => deletes.has(rest)),
      ...points.filter(({ rest }) => !deletes.has(rest)),
      ...own.filter(({ rest }) => deletes.has(rest)),
      ...own.filter(({ rest }) => !deletes.has(rest)),
    ];
    return ordered.flatMap(({ point, rest }) =>
      Array.from({ length: Math.max(0, rests - rest) }, (_, index) => {
        const restart = rests - index;
        return {
          fault: { kind: 'past', from: point, restart } as const,
          isNear: restart === rests || restart <= rest + 2,
        };
      }),
    );
  }

  /**
   * Each change of an object is hidden until the one that undoes it, and until the next. A change that the operator made
   * itself is shown to it before the next step: a watch that is late for so long, alone of all, is hardly met.
   */
  #unseen(): PlannedFault[] {
    const byObject = groupBy(this.#effects());
    const faults: (PlannedFault & { kind: 'unseen' })[] = [];
    for (const changes of byObject.values()) {
      const { resource } = changes[0]!;
      if (!this.#watched().has(resource)) continue;
      changes.forEach((change, index) => {
        const undone = changes.slice(index + 1).find((later) => isUndone(change, later));
        for (const until of [undone, changes[index + 1]])
          if (until !== undefined && !(isOwn(change) && until.rest !== change.rest))
            faults.push({ kind: 'unseen', resource, from: change.point, until: until.point });
      });
    }
    return faults.sort((a, b) => Number(a.from.startsWith('operator')) - Number(b.from.startsWith('operator')));
  }

  #hurries(): PlannedFault[] {
    const rests = Array.from({ length: this.#reference.rests }, (_, index) => index + 1);
    const writesAt = (rest: number): number => this.#writes().filter((entry) => entry.rest === rest - 1).length;
    return [
      ...rests.map((rest): PlannedFault => ({ kind: 'hurry', rest, writes: 0 })),
      ...rests.flatMap((rest) =>
        Array.from({ length: Math.max(0, writesAt(rest) - 1) }, (_, index): PlannedFault => {
          return { kind: 'hurry', rest, writes: index + 1 };
        }),
      ),
    ];
  }

  /** A kind is seen late only where the operator watches others, too. */
  #late(): PlannedFault[] {
    const watched = this.#watched();
    if (watched.size < 2) return [];
    return this.#effects()
      .filter(({ resource }) => watched.has(resource))
      .map(({ point, resource }) => ({ kind: 'late', resource, from: point }));
  }

  /** What the operator made, owns and watches comes back when another client deletes it. */
  #deletions(): PlannedFault[] {
    return this.#owned().map(({ rest, object }) => ({ kind: 'deleted', rest, object }));
  }

  /** A field that the operator was seen to change is put right when another client changes it. */
  #edits(): PlannedFault[] {
    const { worlds } = this.#reference;
    return this.#owned().flatMap(({ rest, object }): PlannedFault[] => {
      const [before, after] = [worlds[rest - 1], worlds[rest]];
      if (before === undefined || after === undefined || !before.has(object)) return [];
      const wrote = this.#writes().some(
        (entry) => entry.object === object && entry.rest === rest - 1 && !isRemoval(entry),
      );
      if (!wrote) return [];
      return differencesOf(before, after, this.#mask)
        .flatMap((difference) =>
          difference.kind === 'field' && difference.object === object ? [difference.field] : [],
        )
        .filter(
          (field) => /^(spec|data)\.[^.]/.test(field) && !/\.\d+(\.|$)/.test(field) && isPlain(after, object, field),
        )
        .slice(0, MAX_EDITS)
        .map((field) => ({ kind: 'edited', rest, object, field: field.split('.') }));
    });
  }

  #owned(): { readonly rest: number; readonly object: string }[] {
    const made = new Set(
      this.#writes()
        .filter(({ status }) => status === 201)
        .map(({ object }) => object),
    );
    const watched = this.#watched();
    return this.#reference.worlds.flatMap((world, rest) =>
      rest === 0
        ? []
        : [...world]
            .filter(([object, { fields }]) => {
              const [resource = ''] = object.split(' ');
              const isOwned = fields.get('metadata.ownerReferences.0.uid') === 'present';
              return made.has(object) && watched.has(resource) && isOwned && !fields.has('metadata.deletionTimestamp');
            })
            .map(([object]) => ({ rest, object })),
    );
  }

  #watched(): ReadonlySet<string> {
    const entries = this.#reference.entries.filter(({ party, verb }) => party === 'operator' && verb === 'watch');
    return new Set(entries.map(({ resource }) => resource));
  }

  /** Writes of the operator that changed something. */
  #writes(): TraceEntry[] {
    return this.#effects().filter(({ party }) => party === 'operator');
  }

  #effects(): TraceEntry[] {
    return this.#reference.entries.filter(({ hasEffect, phase }) => hasEffect && phase === 'scenario');
  }

  #calls(): TraceEntry[] {
    return this.#reference.entries.filter(({ party, phase }) => party === 'operator' && phase === 'scenario');
  }
}

function isOwn({ party }: TraceEntry): boolean {
  return party === 'operator';
}

function isRemoval({ verb }: TraceEntry): boolean {
  return verb === 'delete' || verb === 'deletecollection';
}

/** What came goes, what went comes again. */
function isUndone(change: TraceEntry, later: TraceEntry): boolean {
  if (change.verb === 'create' || change.status === 201) return later.isGone || isRemoval(later);
  if (change.isGone || isRemoval(change)) return later.verb === 'create' || later.status === 201 || later.isGone;
  return false;
}

/** Two faults that are about the same moment mostly keep each other from striking. */
function isContrary([one, other]: readonly (PlannedFault | undefined)[]): boolean {
  const at = (fault: PlannedFault | undefined): string | undefined =>
    fault === undefined ? undefined : 'at' in fault ? fault.at : 'after' in fault ? fault.after : undefined;
  if (at(one) !== undefined && at(one) === at(other)) return true;
  return (one?.kind === 'hurry' && isOwnHidden(other)) || (other?.kind === 'hurry' && isOwnHidden(one));
}

/** The operator is shown what it did itself before the scenario goes on. */
function isOwnHidden(fault: PlannedFault | undefined): boolean {
  return (fault?.kind === 'late' || fault?.kind === 'unseen') && fault.from.startsWith('operator ');
}

function isPlain(world: Outcome['world'], object: string, field: string): boolean {
  const value = world.get(object)?.fields.get(field);
  return value !== undefined && value !== '{}' && value !== '[]';
}

function groupBy(entries: readonly TraceEntry[]): Map<string, TraceEntry[]> {
  const groups = new Map<string, TraceEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.object);
    if (group === undefined) groups.set(entry.object, [entry]);
    else group.push(entry);
  }
  return groups;
}
