import { signatureOf, type Violation } from '../model/finding.ts';
import type { Plan } from '../model/plan.ts';
import type { Outcome } from '../trial/trial.ts';
import { withoutNumber } from '../world/compare.ts';

type Shrinkable = Pick<Plan, 'faults' | 'scenario'>;

/** A run and its violations. */
export interface Judged {
  readonly outcome: Outcome;
  readonly reference: Outcome;
  readonly violations: readonly Violation[];
}

/** Result of shrinking. */
export interface Shrunk extends Judged {
  /** True when two replays sent the same requests, byte for byte. */
  readonly isExact: boolean;
}

interface ShrinkDependencies {
  run(plan: Shrinkable): Promise<Judged>;
  /** True when what is shortest so far has to do. */
  isOver(): boolean;
}

/**
 * Removes faults, then the end of the scenario, then its named steps, as long as the same rule is broken. Returns `undefined`
 * unless two replays break it.
 */
export async function shrink(
  { plan, rests, steps }: Outcome,
  violation: Violation,
  { run, isOver }: ShrinkDependencies,
): Promise<Shrunk | undefined> {
  let best: Shrinkable = { faults: plan.faults, scenario: plan.scenario };
  const attempt = async (candidate: Shrinkable): Promise<boolean> => {
    if (isOver()) return false;
    const { violations } = await run(candidate);
    if (!isBroken(violations, violation)) return false;
    best = candidate;
    return true;
  };
  for (const fault of plan.faults)
    if (best.faults.length > 1) await attempt({ ...best, faults: best.faults.filter((other) => other !== fault) });
  for (let count = 1; count < (plan.scenario.rests ?? rests); count++)
    if (await attempt({ ...best, scenario: { ...best.scenario, rests: count } })) break;
  for (const step of new Set(steps)) {
    const without = [...(best.scenario.without ?? []), step];
    await attempt({ ...best, scenario: { ...best.scenario, without } });
  }
  const [first, second] = [await run(best), await run(best)];
  if (!isBroken(first.violations, violation) || !isBroken(second.violations, violation)) return undefined;
  const isExact = first.outcome.trace === second.outcome.trace;
  const leading = first.violations.filter((each) => signatureOf(each) === signatureOf(violation));
  return { ...first, isExact, violations: [...leading, ...first.violations.filter((each) => !leading.includes(each))] };
}

function isBroken(violations: readonly Violation[], wanted: Violation): boolean {
  // In a shorter scenario fewer objects have the same generated name.
  return violations.some(
    ({ rule, subject }) => rule === wanted.rule && withoutNumber(subject) === withoutNumber(wanted.subject),
  );
}
