import type { Finding } from '../model/finding.ts';
import { describeFault } from '../model/plan.ts';
import type { Report } from './report.ts';

/** Returns the report for a terminal. */
export function reportText(report: Report): string {
  const { findings, plans, elapsedMs, seed, coverage } = report;
  const head = `${findings.length === 0 ? 'No findings' : findings.length === 1 ? '1 finding' : `${findings.length} findings`} in ${plans === 1 ? '1 plan' : `${plans} plans`} (${(elapsedMs / 1_000).toFixed(1)} s, seed ${seed})`;
  const faults = Object.entries(coverage.faults).map(([kind, count]) => `${kind} ${count}`);
  const tail = [
    ...report.notes.map((note) => `Note: ${note}`),
    `Coverage: ${coverage.writes} write points; plans in which a fault struck: ${faults.join(', ') || 'none'}`,
    ...untriedLines(report),
    ...(coverage.idleRests.length === 0
      ? []
      : [
          `The operator wrote nothing before rest ${coverage.idleRests.join(', ')}: these steps of the scenario exercise little`,
        ]),
    ...(coverage.unusedKinds.length === 0
      ? []
      : [`The operator watches ${coverage.unusedKinds.join(', ')}, and the scenario changes none`]),
  ];
  return [head, ...findings.flatMap((finding, index) => ['', ...findingLines(finding, index + 1)]), '', ...tail].join(
    '\n',
  );
}

/** Returns lines about the plans that the budget left out. */
export function untriedLines({ coverage: { untried, faults } }: Report): string[] {
  const kinds = Object.entries(untried);
  if (kinds.length === 0) return [];
  const never = kinds.filter(([kind]) => !(kind in faults)).map(([kind]) => kind);
  const count = kinds.reduce((sum, [, each]) => sum + each, 0);
  return [
    `The budget ended before ${count} plans with one fault were run: ${kinds.map(([kind, each]) => `${kind} ${each}`).join(', ')}`,
    ...(never.length === 0
      ? []
      : [`Never tried: ${never.join(', ')}. Raise budget.seconds, or run fewer controllers and nodes`]),
  ];
}

/** Returns the lines of a finding for a terminal. */
export function findingLines({ rule, summary, story, pattern, cure, plan, plans }: Finding, number: number): string[] {
  const faults = plan.faults.length === 0 ? ['without any fault'] : plan.faults.map(describeFault);
  return [
    `${number}. ${summary}`,
    `   rule: ${rule}, found by ${plans} of the plans; shortest: ${faults.join('; ')}`,
    ...story.map((line) => `   ${line}`),
    `   pattern: ${pattern}`,
    `   cure: ${cure}`,
    `   plan: ${JSON.stringify(plan)}`,
  ];
}
