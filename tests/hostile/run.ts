// Attacks a plain `pintle up` with requests made from a seed: npm run test:hostile -- [COUNT] [SEED] [FAMILY]…
import { systemRandom } from '@pintle/async';
import { FAMILIES, runCampaign } from './campaign.ts';
import { summarize } from './summarize.ts';

const [countText = '100000', seedText, ...names] = process.argv.slice(2);
const seed = seedText === undefined ? systemRandom.below(1_000_000) : Number(seedText);
const families = names.length === 0 ? FAMILIES : FAMILIES.filter(({ name }) => names.includes(name));
if (families.length === 0)
  throw new Error(`Cannot attack: the families are ${FAMILIES.map(({ name }) => name).join(', ')}`);
process.stdout.write(`hostile: ${countText} requests, seed ${seed}\n`);
const result = await runCampaign({
  seed,
  count: Number(countText),
  families,
  onProgress: (sent) => sent % 10_000 < 1_000 && process.stdout.write(`hostile: ${sent} sent\n`),
});
const { lines, complaints } = summarize(result);
process.stdout.write(`${lines.join('\n')}\n`);
for (const complaint of complaints) process.stdout.write(`hostile: ${complaint}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;
