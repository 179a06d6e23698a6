/** `npm run test:crash`: kills writers and loses power, and reports what that did to the store. */
import { parseArgs } from 'node:util';
import { runDamageTest } from './damage-test.ts';
import { runDiskFaultTest } from './disk-fault-test.ts';
import { runFullDiskTest } from './full-disk-test.ts';
import { runKillTest } from './kill-test.ts';
import { hasStrace, runPowerLossTest } from './power-loss.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    images: { type: 'string', default: '400' },
    damages: { type: 'string', default: '300' },
    faults: { type: 'string', default: '30' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const cycles = Number(values.cycles);
console.log(`seed ${seed}`);

const killed = await runKillTest({
  cycles,
  seed,
  onCycle: (cycle) => {
    if (cycle % 20 === 19) console.log(`kill -9: ${cycle + 1} cycles`);
  },
});
report('kill -9', killed.problems, [
  `${cycles} cycles`,
  `${killed.acknowledgedWrites} acknowledged writes`,
  `${killed.unknownWrites} of unknown outcome`,
  `${killed.compactions} compactions`,
  `revision ${killed.revision}`,
  `slowest open ${Math.round(killed.slowestOpenMs)} ms`,
]);

if (hasStrace()) {
  const lost = await runPowerLossTest({ images: Number(values.images), seed });
  report('power loss', lost.problems, [
    `${lost.images} images`,
    `${lost.syncs} syncs and ${lost.writes} writes traced`,
    `${lost.acknowledgedWrites} acknowledged writes`,
  ]);
  const failed = await runDiskFaultTest({ faults: Number(values.faults), seed });
  report('disk faults', failed.problems, [
    `${values.faults} failing system calls`,
    `${failed.acknowledgedWrites} acknowledged writes`,
  ]);
} else console.log('power loss and disk faults: not tested, strace is not installed (apt-get install strace)');

const damaged = await runDamageTest({ copies: Number(values.damages), seed });
report('damaged file', damaged.problems, [
  `${values.damages} copies`,
  `${damaged.refused} refused`,
  `${damaged.stopped} stopped by LMDB`,
  `${damaged.harmless} harmless`,
]);

const full = await runFullDiskTest();
if (full)
  report('full disk', full.problems, [`filled ${full.rounds} times`, `${full.acknowledgedWrites} acknowledged writes`]);
else console.log('full disk: not tested, a tmpfs cannot be mounted here');

function report(name: string, problems: readonly string[], facts: readonly string[]): void {
  const verdict = problems.length === 0 ? 'ok' : 'FAILED';
  console.log(`${name}: ${verdict}: ${facts.join(', ')}; ${problems.length} problems; seed ${seed}`);
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
