// Checks the packages as they are published: `npm run check:packages`. publint and attw look at their manifests, entry points and
// types; files that only tests and benchmarks use are not among them; each is as small as `package-sizes.json` says.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureTools, run, TOOLS } from './ensure-tools.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules', '.cache', 'pintle', 'release');
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'package-sizes.json'), 'utf8'));
const FORBIDDEN = /(?:^|\/)(?:bench|testing|testdata|specimens|e2e|tests)\/|\.test\.|\.map$|\.tsbuildinfo$|^src\//;
/** Types of attw that are no problem here: all packages are ES modules, for Node.js and bundlers. */
const ATTW = ['--profile', 'esm-only', '--format', 'json'];

ensureTools();
rmSync(folder, { recursive: true, force: true });
run(process.execPath, [join(root, 'scripts', 'pack.mjs'), folder, '--release'], root);
const { publint } = await import(pathToFileURL(join(TOOLS, 'node_modules', 'publint', 'src', 'index-node.js')));
const { formatMessage } = await import(pathToFileURL(join(TOOLS, 'node_modules', 'publint', 'src', 'utils.js')));
const problems = [];
const rows = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) await check(file);
for (const [name, packed, unpacked, budget] of rows.sort(([, a], [, b]) => b - a))
  console.log(
    `${name.padEnd(24)} ${kib(packed).padStart(9)} of ${`${budget} KiB`.padStart(9)}, ${kib(unpacked).padStart(9)} unpacked`,
  );
const total = rows.reduce((sum, [, packed]) => sum + packed, 0);
console.log(`${'all'.padEnd(24)} ${kib(total).padStart(9)}`);
for (const problem of problems) console.error(`check:packages: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function check(file) {
  const path = join(folder, file);
  const files = listOf(path);
  const manifest = JSON.parse(tar(['-xzOf', path, 'package/package.json']));
  const { name } = manifest;
  const packed = statSync(path).size;
  const unpacked = files.reduce((sum, [, size]) => sum + size, 0);
  const budget = budgets[name];
  rows.push([name, packed, unpacked, budget ?? 0]);
  const add = (problem) => problems.push(`${name}: ${problem}`);
  if (budget === undefined) add('has no budget in scripts/package-sizes.json');
  else if (packed > budget * 1024)
    add(`${kib(packed)} packed are more than ${budget} KiB (scripts/package-sizes.json)`);
  const names = files.map(([each]) => each);
  for (const required of ['LICENSE', 'package.json']) if (!names.includes(required)) add(`${required} is missing`);
  for (const each of names) if (FORBIDDEN.test(each)) add(`contains ${each}`);
  const unpackedTo = join(folder, 'unpacked', name);
  mkdirSync(unpackedTo, { recursive: true });
  tar(['-xzf', path, '-C', unpackedTo]);
  const { messages } = await publint({ pkgDir: join(unpackedTo, 'package'), pack: false });
  // The repository is known where packages are published.
  for (const message of messages)
    if (message.type !== 'suggestion') add(`publint: ${formatMessage(message, manifest, { color: false })}`);
  if (manifest.exports !== undefined && name !== '@pintle/cli')
    for (const problem of typeProblems(path)) add(`attw: ${problem}`);
}

function typeProblems(path) {
  const cli = join(TOOLS, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
  const { stdout, stderr } = spawnSync(process.execPath, [cli, path, ...ATTW], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  let report;
  try {
    report = JSON.parse(stdout);
  } catch {
    return [`cannot read its report: ${stderr.trim() || stdout.slice(0, 200)}`];
  }
  const found = Object.values(report.problems ?? {}).flat();
  // A CommonJS module cannot load an ES module with top-level await; older resolution knows no exports.
  const counted = found.filter(
    ({ kind, resolutionKind }) =>
      kind !== 'CJSResolvesToESM' && resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs',
  );
  return counted.map(
    ({ kind, entrypoint, resolutionKind }) => `${kind} at ${entrypoint ?? ''} (${resolutionKind ?? ''})`,
  );
}

/** Returns the paths and sizes of the files in a package. */
function listOf(path) {
  return tar(['-tvzf', path])
    .trim()
    .split('\n')
    .map((line) => /^\S+\s+\S+\s+(\d+)\s.*\spackage\/(.*)$/.exec(line))
    .filter((found) => found !== null)
    .map(([, size, name]) => [name, Number(size)]);
}

function tar(args) {
  const { stdout, status, stderr } = spawnSync('tar', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`Cannot read a package: ${stderr}`);
  return stdout;
}

function kib(bytes) {
  return `${Math.round(bytes / 1024)} KiB`;
}
