// Runs every benchmark of the workspace: `npm run bench [-- NAME]...`. Each is a module whose `bench(print)` prints
// figures as shares of a bare equivalent measured in the same run. `npm run bench -- --compare URL TOKEN` puts the same load
// on pintle and on another API server instead, in turns.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const benches = {
  json: 'packages/machinery/dist/bench/codec-bench.js',
  protobuf: 'packages/machinery/dist/bench/protobuf-bench.js',
  cel: 'packages/cel/dist/bench/cel-bench.js',
  store: 'packages/store/dist/testing/bench/run.js',
  fields: 'packages/kube-apiserver/dist/testing/bench/fields-bench.js',
  get: 'packages/kube-apiserver/dist/testing/bench/get-bench.js',
  list: 'packages/kube-apiserver/dist/testing/bench/list-bench.js',
  write: 'packages/kube-apiserver/dist/testing/bench/write-bench.js',
  watch: 'packages/kube-apiserver/dist/testing/bench/watch-bench.js',
  growth: 'packages/kube-apiserver/dist/testing/bench/growth/growth-bench.js',
  memory: 'packages/kube-apiserver/dist/testing/bench/memory-bench.js',
  definitions: 'packages/kube-apiserver/dist/testing/bench/definitions-bench.js',
  rbac: 'packages/kube-apiserver/dist/testing/bench/rbac-bench.js',
  admission: 'packages/kube-apiserver/dist/testing/bench/admission-bench.js',
  controllers: 'packages/cli/dist/bench/controllers-bench.js',
  client: 'scripts/bench/client.mjs',
  reconcile: 'scripts/bench/reconcile.mjs',
  shards: 'scripts/bench/shards.mjs',
  envtest: 'packages/cli/dist/bench/envtest-bench.js',
  testing: 'packages/testing/dist/bench/testing-bench.js',
  start: 'packages/cli/dist/bench/start-bench.js',
  dev: 'packages/cli/dist/bench/dev-bench.js',
  console: 'packages/console/dist/bench/console-bench.js',
};

const chosen = process.argv.slice(2);
if (chosen[0] === '--compare') {
  const { compareServers } = await import('./bench/compare.mjs');
  await compareServers(chosen.slice(1), console.log);
  process.exit();
}
for (const [name, file] of Object.entries(benches)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const path = join(root, file);
  if (!existsSync(path)) throw new Error(`Cannot run ${name}: ${file} is not built`);
  console.log(`\n${name}`);
  const { bench } = await import(pathToFileURL(path));
  const before = processorTime();
  await bench((line) => console.log(`  ${line}`));
  const after = processorTime();
  if (before === undefined) continue;
  const stolen = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
  if (stolen >= 0.005)
    console.log(`  (the host kept ${(stolen * 100).toFixed(1)} % of the processors' time for others)`);
}

/** Returns ticks since the start of the machine, on Linux. Time that the host takes away makes every figure worse. */
function processorTime() {
  if (!existsSync('/proc/stat')) return undefined;
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, n) => sum + n, 0), stolen: ticks[7] ?? 0 };
}
