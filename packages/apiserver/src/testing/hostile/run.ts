// Attacks a server with requests made from a seed: node packages/apiserver/dist/testing/hostile/run.js [COUNT] [SEED]
import { fileURLToPath } from 'node:url';
import { systemRandom } from '@pintle/async';
import { runHostile } from './run-hostile.ts';
import { summarize } from './summarize.ts';

const count = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? systemRandom.below(1_000_000));
const serverProcess = fileURLToPath(new URL('./server-process.js', import.meta.url));
process.stdout.write(`hostile: ${count} requests, seed ${seed}\n`);
const result = await runHostile({ seed, count, serverProcess });
const { lines, complaints } = summarize(result);
process.stdout.write(`${lines.join('\n')}\n`);
for (const complaint of complaints) process.stdout.write(`hostile: ${complaint}\n`);
process.exitCode = complaints.length === 0 ? 0 : 1;
