import { join } from 'node:path';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { type ExploreOptions, explore, reportText } from '@pintle/testing/explore';
import { expect, test } from 'vitest';

const orders = { namespace: 'default', name: 'orders' };
const options: ExploreOptions = {
  program: { command: process.execPath, args: [join(import.meta.dirname, 'client-node-operator.mjs')] },
  scenario: async ({ client, settle }) => {
    await client.create(ConfigMap, { metadata: { ...orders, labels: { database: '' } } });
    await settle();
  },
};

test('an operator on @kubernetes/client-node is explored as a program, and its report says so', async () => {
  const report = await explore({ ...options, budget: { seconds: 100, plans: 4, findings: 1 } });
  expect(report.findings.map(({ summary }) => summary)).toEqual([
    'configmaps default/orders-address is missing in the end',
  ]);
  expect(report.findings[0]?.plan.faults.map(({ kind }) => kind)).toEqual(['crash']);
  expect(reportText(report)).toContain('The operator is a program: its runs are not exactly repeatable');
  const { plan } = report.findings[0]!;
  const mended = { ...options, program: { ...options.program!, env: { MENDED: 'true' } } };
  expect(await explore({ ...mended, plan })).toHaveNoFindings();
}, 240_000);
