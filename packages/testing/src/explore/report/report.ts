import type { Finding } from '../model/finding.ts';
import type { FaultKind, PlannedFault } from '../model/plan.ts';
import type { Outcome } from '../trial/trial.ts';

/** What an exploration has come to. It is plain data, besides the text. */
export interface Report {
  readonly seed: number | string;
  readonly findings: readonly Finding[];
  /** How many plans were run. */
  readonly plans: number;
  /** How many of them met a world that was known, and ended there. */
  readonly cutShort: number;
  /** How many of them the scenario could not be led through. */
  readonly inconclusive: number;
  readonly elapsedMs: number;
  readonly firstFindingMs?: number;
  /** What is worth knowing, and no finding. */
  readonly notes: readonly string[];
  readonly coverage: Coverage;
  /** The digest of the run without faults. */
  readonly trace: string;
}

/** How much of the operator the scenario and the plans have exercised. */
export interface Coverage {
  /** Places in the run where the operator writes: `patch configmaps default/apple-label`. */
  readonly writes: number;
  /** By fault: how many of the plans it struck in. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Rests of the scenario after which the operator did nothing: steps that exercise nothing. */
  readonly idleRests: readonly number[];
  /** Resources that the operator watches and never wrote, nor saw written. */
  readonly unusedKinds: readonly string[];
}

/** Counts which faults struck. */
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

export function coverageOf({ entries, rests }: Outcome, strikes: Strikes): Coverage {
  const writes = entries.filter(
    ({ party, hasEffect, phase }) => party === 'operator' && hasEffect && phase === 'scenario',
  );
  const busy = new Set(writes.map(({ rest }) => rest));
  const touched = new Set(entries.filter(({ hasEffect }) => hasEffect).map(({ resource }) => resource));
  const watched = entries.filter(({ party, verb }) => party === 'operator' && verb === 'watch');
  return {
    writes: new Set(writes.map(({ point }) => point)).size,
    faults: strikes.counts,
    idleRests: Array.from({ length: rests }, (_, index) => index + 1).filter((rest) => !busy.has(rest - 1)),
    unusedKinds: [...new Set(watched.map(({ resource }) => resource))].filter((resource) => !touched.has(resource)),
  };
}
