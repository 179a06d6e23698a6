import { expect, test } from 'vitest';
import { explore } from '../explore.ts';
import { specimens } from './index.ts';

/** Plans are counted, not timed: a busy machine runs the same. */
const TIMEOUT_MS = 240_000;
const seconds = 200;
/** Plans for each mended twin; `npm run test:explore` runs as many as 30 s allow. */
const TWIN_PLANS = 5;

test.each(specimens)(
  '$family: “$name” is found, and its mended twin survives the same and others',
  async ({ broken, mended }) => {
    const report = await explore({ ...broken, budget: { seconds, plans: 100, findings: 1 } });
    const [finding] = report.findings;
    expect(finding).toBeDefined();
    expect(finding!.story.length).toBeLessThanOrEqual(10);
    expect(finding!.plan.faults.length).toBeLessThanOrEqual(2);
    expect(await explore({ ...mended, plan: finding!.plan })).toHaveNoFindings();
    expect(await explore({ ...mended, budget: { seconds, plans: TWIN_PLANS } })).toHaveNoFindings();
  },
  TIMEOUT_MS,
);
