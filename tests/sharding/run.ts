// Runs histories of a sharded operator on a simulated time: npm run test:shards -- [COUNT] [SEED]
import { systemRandom } from '@pintle/async';
import { simulate } from './simulation.ts';

const [countText = '10000', seedText, flag] = process.argv.slice(2);
const first = seedText === undefined ? systemRandom.below(1_000_000_000) : Number(seedText);
const count = Number(countText);
const isFenced = flag !== '--without-fences';
const write = (line: string): void => void process.stdout.write(`shards: ${line}\n`);
write(`${count} histories from seed ${first}${isFenced ? '' : ', without fences'}`);
const totals = { writes: 0, moves: 0, fenced: 0, doubleWrites: 0, failed: 0 };
// Modules that load with their first use would move messages between the turns of the first history.
await simulate(0);
const cpu = process.cpuUsage();
for (let seed = first; seed < first + count; seed++) {
  const log = count === 1 ? write : undefined;
  const result = await simulate(seed, { isFenced, ...(log && { log }) });
  totals.writes += result.writes;
  totals.moves += result.moves;
  totals.fenced += result.refusedWrites;
  totals.doubleWrites += result.doubleWrites.length;
  if (result.problems.length > 0) {
    totals.failed++;
    write(`seed ${seed}: ${result.problems.slice(0, 3).join('; ')}`);
  }
  if ((seed - first + 1) % 500 === 0) write(`${seed - first + 1} histories`);
}
const { user, system } = process.cpuUsage(cpu);
write(
  `${totals.writes} writes, ${totals.moves} moves, ${totals.fenced} writes refused, ${totals.doubleWrites} double writes, ` +
    `${totals.failed} of ${count} histories failed; ${((user + system) / 1e6).toFixed(0)} s of CPU`,
);
process.exitCode = totals.failed === 0 ? 0 : 1;
