import type { Finding } from '../model/finding.ts';
import type { FaultKind, PlannedFault } from '../model/plan.ts';
import type { Outcome } from '../trial/trial.ts';

/** Result of an exploration, as plain data. */
export interface Report {
  readonly seed: number | string;
  readonly findings: readonly Finding[];
  /** Number of plans that were run. */
  readonly plans: number;
  /** Number of plans that ended early, at a state of a run that had ended well. */
  readonly cutShort: number;
  /** Number of plans whose scenario failed because of the fault itself. */
  readonly inconclusive: number;
  readonly elapsedMs: number;
  readonly firstFindingMs?: number;
  /** Remarks that are not findings. */
  readonly notes: readonly string[];
  readonly coverage: Coverage;
  /** Digest of the requests of the run without faults. */
  readonly trace: string;
}

/** Coverage of the operator by the scenario and the plans. */
export interface Coverage {
  /** Number of writes of the operator in the run without faults. */
  readonly writes: number;
  /** Number of plans in which each fault occurred. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Number of plans with this fault alone that were not run. */
  readonly untried: Readonly<Partial<Record<FaultKind, number>>>;
  /** Rests of the scenario before which the operator wrote nothing. */
  readonly idleRests: readonly number[];
  /** Resources that the operator watches and that were not written in the scenario. */
  readonly unusedKinds: readonly string[];
}

/** Counts the faults that occurred. */
export class Strikes {
  readonly #counts = new Map<FaultKind, number>();

  note(struck: ReadonlySet<PlannedFault>): void {
    for (const kind of new Set([...struck].map((fault) => fault.kind)))
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  get counts(): Readonly<Partial<Record<FaultKind, number>>> {
    return Object.fromEntries(this.#counts);
  }
}

export function coverageOf({ entries, rests }: Outcome, strikes: Strikes, untried: readonly PlannedFault[]): Coverage {
  const left = new Map<FaultKind, number>();
  for (const { kind } of untried) left.set(kind, (left.get(kind) ?? 0) + 1);
  const writes = entries.filter(
    ({ party, hasEffect, phase }) => party === 'operator' && hasEffect && phase === 'scenario',
  );
  const busy = new Set(writes.map(({ rest }) => rest));
  const touched = new Set(entries.filter(({ hasEffect }) => hasEffect).map(({ resource }) => resource));
  const watched = entries.filter(({ party, verb }) => party === 'operator' && verb === 'watch');
  return {
    writes: new Set(writes.map(({ point }) => point)).size,
    faults: strikes.counts,
    untried: Object.fromEntries(left),
    idleRests: Array.from({ length: rests }, (_, index) => index + 1).filter((rest) => !busy.has(rest - 1)),
    unusedKinds: [...new Set(watched.map(({ resource }) => resource))].filter((resource) => !touched.has(resource)),
  };
}
