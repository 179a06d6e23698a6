import { parseArgs } from 'node:util';
import { explore } from '../explore.ts';
import type { ExploreOptions } from '../model/options.ts';
import { reportText } from '../report/text.ts';
import { specimens } from './index.ts';

/**
 * Explores every specimen and its mended twin, and prints the findings, the time to the first finding, and the twins with
 * findings:
 *
 *     node packages/testing/dist/explore/specimens/run.js --seconds 30 --only volume
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    plans: { type: 'string' },
    only: { type: 'string', default: '' },
    random: { type: 'boolean', default: false },
    broken: { type: 'boolean', default: false },
    mended: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const budget = {
  seconds: Number(values.seconds),
  ...(values.plans !== undefined && { plans: Number(values.plans) }),
};
const isAll = !values.broken && !values.mended;
const chosen = specimens.filter(({ name, family }) => `${family} ${name}`.includes(values.only));
const times: number[] = [];
const faults: number[] = [];
let [found, blamed, plans, cpuMs] = [0, 0, 0, 0];

for (const { name, family, broken, mended } of chosen) {
  const title = `${family} ${name}`.padEnd(62);
  if (isAll || values.broken) {
    const report = await run(broken, { ...budget, findings: 1 });
    const [finding] = report.findings;
    if (finding !== undefined) {
      found++;
      times.push(report.firstFindingMs ?? 0);
      faults.push(finding.plan.faults.length);
    }
    const result = finding === undefined ? 'MISSED' : `${finding.summary}${finding.isExact ? '' : ' (not exact)'}`;
    print(`${title} ${show(report.firstFindingMs ?? report.elapsedMs)} ${report.plans} plans  ${result}`);
    if (values.verbose) print(reportText(report));
  }
  if (isAll || values.mended) {
    const report = await run(mended, budget);
    blamed += report.findings.length > 0 ? 1 : 0;
    const result = report.findings.length === 0 ? 'clean' : `BLAMED: ${report.findings[0]!.summary}`;
    print(`${`   mended`.padEnd(62)} ${show(report.elapsedMs)} ${report.plans} plans  ${result}`);
    if (values.verbose || report.findings.length > 0) print(reportText(report));
  }
}

const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
if (isAll || values.broken) {
  print(`found ${found} of ${chosen.length}; first finding after ${show(middle ?? 0)} (median)`);
  print(`plans of at most 2 faults: ${faults.filter((count) => count <= 2).length} of ${faults.length}`);
}
if (isAll || values.mended) print(`blamed ${blamed} of ${chosen.length} mended twins`);
print(`${plans} plans, ${(cpuMs / Math.max(1, plans)).toFixed(1)} ms of processor time for each`);

async function run(options: ExploreOptions, limits: ExploreOptions['budget']): ReturnType<typeof explore> {
  const before = process.cpuUsage();
  const strategy = values.random ? 'random' : 'planned';
  const report = await explore({ ...options, strategy, ...(limits && { budget: limits }) });
  const { user, system } = process.cpuUsage(before);
  plans += report.plans;
  cpuMs += (user + system) / 1_000;
  return report;
}

function show(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(7);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
