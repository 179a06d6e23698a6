import { explore } from '@pintle/testing/explore';
import { expect, test } from 'vitest';
import { builtinSubjects } from './builtin-subjects.ts';
import { subjects } from './subjects.ts';

/** More plans find more: `PINTLE_EXPLORE_PLANS=1000 npx vitest run tests/explore`. */
const plans = Number(process.env.PINTLE_EXPLORE_PLANS ?? 4);

test.each(Object.entries({ ...subjects, ...builtinSubjects }))(
  '%s survive what goes wrong',
  async (_name, subject) => {
    expect(await explore({ ...subject, budget: { seconds: 3_600, plans } })).toHaveNoFindings();
  },
  3_600_000,
);
