import { expect, test } from 'vitest';
import { explore } from '../explore.ts';
import { specimens } from './index.ts';

/** Plans are counted, not timed: a busy machine runs the same. */
const TIMEOUT_MS = 240_000;
const seconds = 200;

test.each(specimens)(
  '$family: an operator that has “$name” is found out',
  async ({ broken }) => {
    const report = await explore({ ...broken, budget: { seconds, plans: 100, findings: 1 } });
    const [finding] = report.findings;
    expect(finding).toBeDefined();
    expect(finding!.story.length).toBeLessThanOrEqual(10);
    expect(finding!.plan.faults.length).toBeLessThanOrEqual(2);
  },
  TIMEOUT_MS,
);

test.each(specimens)(
  '$family: the mended twin of “$name” is clean',
  async ({ mended }) => {
    const report = await explore({ ...mended, budget: { seconds, plans: 25 } });
    expect(report).toHaveNoFindings();
  },
  TIMEOUT_MS,
);
