import { explore, type Plan } from '@pintle/testing/explore';
import { expect, test } from 'vitest';
import { subjects } from './subjects.ts';

/** Plans that led to findings which were mended since. */
const PLANS: readonly (readonly [title: string, subject: string, Pick<Plan, 'faults' | 'scenario'>])[] = [
  [
    'the content of a namespace stays when the controller sees the deletion of an earlier one of the name',
    'namespaces',
    { scenario: { rests: 3 }, faults: [{ kind: 'past', from: 'test delete namespaces space/space #1', restart: 3 }] },
  ],
  [
    'a field that a leader brought back after a pause is removed again',
    'baskets',
    {
      scenario: { rests: 2 },
      faults: [{ kind: 'paused', at: 'operator patch configmaps default/fruits #1', until: 2 }],
    },
  ],
  [
    'a pod of a job that has succeeded stays when the controller sees the job before its pod',
    'jobs',
    { scenario: {}, faults: [{ kind: 'past', from: 'test create jobs.batch default/work #1', restart: 3 }] },
  ],
];

test.each(PLANS)(
  '%s',
  async (_title, subject, plan) => {
    expect(await explore({ ...subjects[subject]!, plan: { version: 1, seed: 1, ...plan } })).toHaveNoFindings();
  },
  240_000,
);
