import { SeededRandom } from '@pintle/async';
import type { FaultKind, PlannedFault } from '../model/plan.ts';
import type { TraceEntry } from '../trial/trace.ts';
import type { Outcome } from '../trial/trial.ts';
import { differencesOf, type Mask } from '../world/compare.ts';

/** Faults of one run. */
export type Faults = readonly PlannedFault[];

/** Draws without a new pair after which there are none left. */
const MAX_DRAWS = 200;
/** Faults that are not combined: their results are judged by themselves. */
const ALONE: ReadonlySet<FaultKind> = new Set(['deleted', 'edited', 'paused']);
/** Most faults of one kind in a row. */
const PER_TURN = 4;
/** Kinds of faults, about. */
const FAMILIES = 16;
/** Most fields that are edited in one object. */
const MAX_EDITS = 2;

interface PlannerOptions {
  readonly seed: number | string;
  readonly isElected?: boolean;
  readonly isProgram?: boolean;
  /** Number of plans that will be run, if it is limited. */
  readonly plans?: number | undefined;
}

/** Chooses faults from the requests of a run without faults: the most frequent causes of bugs first. */
export class Planner {
  readonly #reference: Outcome;
  readonly #mask: Mask;
  readonly #seed: number | string;
  readonly #isElected: boolean;
  readonly #isProgram: boolean;
  readonly #perTurn: number;

  /** `isElected`: the operator has a leader lease. `isProgram`: its reconciles are unknown. */
  constructor(
    reference: Outcome,
    mask: Mask,
    { seed, isElected = false, isProgram = false, plans = Number.POSITIVE_INFINITY }: PlannerOptions,
  ) {
    this.#reference = reference;
    this.#mask = mask;
    this.#seed = seed;
    this.#isElected = isElected;
    this.#isProgram = isProgram;
    this.#perTurn = Math.max(1, Math.min(PER_TURN, Math.floor(plans / FAMILIES)));
  }

  /** Returns all plans with one fault, in the order in which they are run. */
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
    return inTurns(families, this.#perTurn).flatMap((fault) => {
      const text = JSON.stringify(fault);
      if (seen.has(text)) return [];
      seen.add(text);
      return [[fault]];
    });
  }

  /** Yields pairs of faults by the seed, each once. */
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

  /** Draws kinds of faults and points evenly, without regard to what the points are: for comparison. */
  *random(): Generator<Faults> {
    const random = new SeededRandom(`${this.#seed}/random`);
    if (this.#calls().length === 0) return;
    for (;;) yield Array.from({ length: 1 + random.below(3) }, () => this.#drawn(random));
  }

  #drawn(random: SeededRandom): PlannedFault {
    const { rests, reconciles } = this.#reference;
    const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!;
    const all = this.#reference.entries.filter(({ phase }) => phase === 'scenario');
    const { point: at, resource } = pick(this.#calls());
    const restart = 1 + random.below(Math.max(1, rests));
    const draws: (() => PlannedFault)[] = [
      () => ({ kind: 'crash', after: at }),
      () => ({ kind: 'crash-before', at }),
      () => ({ kind: 'lost-answer', at }),
      () => ({ kind: 'conflict', at }),
      () => ({ kind: 'refused', at, code: pick([409, 410, 429, 500]) }),
      () => ({ kind: 'again', after: at }),
      () => ({ kind: 'late', resource, from: pick(all).point }),
      () => ({ kind: 'unseen', resource, from: pick(all).point, until: pick(all).point }),
      () => ({ kind: 'past', from: pick(all).point, restart }),
      () => ({ kind: 'absent', from: random.below(restart), until: restart }),
      () => ({ kind: 'hurry', rest: restart, writes: random.below(3) }),
      ...(reconciles.length > 0 ? [(): PlannedFault => ({ kind: 'put-off', ...pick(reconciles) })] : []),
      ...(this.#isElected ? [(): PlannedFault => ({ kind: 'paused', at, until: restart })] : []),
    ];
    return pick(draws)();
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
    if (this.#isProgram) return [];
    return this.#writes().map(({ point }) => ({ kind: 'again', after: point }));
  }

  /** The process continues after the next step, and after the last. */
  #paused(): PlannedFault[] {
    const { rests } = this.#reference;
    if (!this.#isElected) return [];
    return this.#writes().flatMap(({ point, rest }): PlannedFault[] =>
      [...new Set([Math.min(rest + 2, rests), rests])]
        .filter((until) => until > rest)
        .map((until) => ({ kind: 'paused', at: point, until })),
    );
  }

  /** Each reconcile, when there are several objects. */
  #putOff(): PlannedFault[] {
    const { reconciles } = this.#reference;
    if (new Set(reconciles.map(({ reconcile }) => reconcile)).size < 2) return [];
    return reconciles.map(({ reconcile, nth }) => ({ kind: 'put-off', reconcile, nth }));
  }

  /** Creations have no older version to conflict with. */
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

  /** First from each rest to the next, then from the start, then all others. */
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
   * Shows the objects as they were after each write, at each later rest. Steps in which the operator deleted something come
   * first: a deletion cannot be undone. The next two rests and the last are near.
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
   * Hides each change of an object until the change that undoes it, and until the next. The operator sees its own changes
   * before the next step: in practice a single watch is not silent for longer.
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

  /** A kind can be late only when the operator watches several. */
  #late(): PlannedFault[] {
    const watched = this.#watched();
    if (watched.size < 2) return [];
    return this.#effects()
      .filter(({ resource }) => watched.has(resource))
      .map(({ point, resource }) => ({ kind: 'late', resource, from: point }));
  }

  /** Objects that the operator created, owns and watches. */
  #deletions(): PlannedFault[] {
    return this.#owned().map(({ rest, object }) => ({ kind: 'deleted', rest, object }));
  }

  /** Fields that the operator changed in the step before. */
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
          (field) => /^(spec|data)\.[^.]/.test(field) && !/\.\d+(\.|$)|\[/.test(field) && isPlain(after, object, field),
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

/** Takes some of each list, then more of each, so that a small budget covers many kinds of faults. */
function inTurns(lists: readonly (readonly PlannedFault[])[], perTurn: number): PlannedFault[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: Math.ceil(longest / perTurn) }, (_, turn) => turn * perTurn);
  return turns.flatMap((from) => lists.flatMap((list) => list.slice(from, from + perTurn)));
}

function isOwn({ party }: TraceEntry): boolean {
  return party === 'operator';
}

function isRemoval({ verb }: TraceEntry): boolean {
  return verb === 'delete' || verb === 'deletecollection';
}

/** True when the later change deletes what was created, or creates what was deleted. */
function isUndone(change: TraceEntry, later: TraceEntry): boolean {
  if (change.verb === 'create' || change.status === 201) return later.isGone || isRemoval(later);
  if (change.isGone || isRemoval(change)) return later.verb === 'create' || later.status === 201 || later.isGone;
  return false;
}

/** True when one fault mostly prevents the other: both are at the same request. */
function isContrary([one, other]: readonly (PlannedFault | undefined)[]): boolean {
  const at = (fault: PlannedFault | undefined): string | undefined =>
    fault === undefined ? undefined : 'at' in fault ? fault.at : 'after' in fault ? fault.after : undefined;
  if (at(one) !== undefined && at(one) === at(other)) return true;
  return (one?.kind === 'hurry' && isOwnHidden(other)) || (other?.kind === 'hurry' && isOwnHidden(one));
}

/** True when the fault hides a change of the operator itself, which ends before the scenario continues. */
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
