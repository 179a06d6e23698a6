import { expect, test } from 'vitest';
import { FAMILIES, runCampaign } from './campaign.ts';
import { summarize } from './summarize.ts';

test('no request stops the server, stalls it, fills its memory or makes it somebody else', async () => {
  const result = await runCampaign({ seed: 20_260_101, count: 4_000 });
  const { lines, complaints } = summarize(result);
  expect(complaints, lines.join('\n')).toEqual([]);
  for (const { name } of FAMILIES) expect(result.families.get(name)?.sent, name).toBeGreaterThan(0);
  expect(result.families.get('random requests')?.statuses.get(201)).toBeGreaterThan(10);
}, 180_000);
