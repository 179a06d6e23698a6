// Builds the executable and checks it: `npm run check:executable`. It runs without Node.js on the PATH, says what it leaves out,
// starts as fast as the bundle, and its binaries for envtest pass the tests of those of the npm package.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './ensure-tools.mjs';
import { freePort } from './free-port.mjs';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pintle-executable-'));
const executable = join(folder, 'pintle');
const assets = join(folder, 'assets');
/** No program is found there. */
const env = { PATH: join(folder, 'nothing'), HOME: folder };
const ROUNDS = 7;
/** A start may be measured a little slower than it is. */
const MAX_RATIO = 1.1;
const PATIENCE_MS = 60_000;

const problems = [];
try {
  run(process.execPath, [join(root, 'scripts', 'executable.mjs'), executable], root);
  checkCommands();
  await checkServer();
  await compareStarts();
  run('npx', ['--no-install', 'vitest', 'run', 'tests/envtest.test.ts'], root, { PINTLE_EXECUTABLE: executable });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`check:executable: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function checkCommands() {
  expectOutput(['--version'], 0, /^\d+\.\d+\.\d+\n$/);
  expectOutput(['--help'], 0, /needs no Node\.js[\s\S]*native code/);
  expectOutput(['up', '--help'], 0, /--memory/);
  expectOutput(['init'], 1, /^pintle: Cannot run pintle init: .*\n$/);
  expectOutput(['up'], 1, /^pintle: Cannot keep objects in a folder: .*\n$/);
  expectOutput(['apiserver', '--data', join(folder, 'data')], 1, /pintle: Cannot open \S+: .*pass --memory\n$/);
  expectOutput(['envtest-assets', assets], 0, /Wrote kube-apiserver, etcd\./);
  for (const name of readdirSync(assets))
    if (/\bnode\b/.test(readFileSync(join(assets, name), 'utf8')))
      problems.push(`${name} of envtest-assets calls node`);
}

function expectOutput(args, code, pattern) {
  const { status, stdout, stderr } = spawnSync(executable, args, { env, cwd: folder, encoding: 'utf8' });
  if (status !== code || !pattern.test(stdout + stderr))
    problems.push(`pintle ${args.join(' ')} exits with ${status}: ${(stdout + stderr).trim()}`);
}

/** Starts the server as envtest does, without any program on the PATH. */
async function checkServer() {
  const port = await freePort();
  const flags = ['--secure-port', `${port}`, '--cert-dir', folder, '--etcd-servers', 'http://127.0.0.1:1'];
  await timed(join(assets, 'kube-apiserver'), flags, port, env);
}

async function compareStarts() {
  const main = join(root, 'packages', 'cli', 'dist', 'main.js');
  const own = [];
  const bundle = [];
  const up = ['up', '--memory', '--no-console', '--kubeconfig', join(folder, 'kubeconfig'), '--port'];
  for (let round = 0; round < ROUNDS; round++) {
    const port = await freePort();
    own.push(await timed(executable, [...up, `${port}`], port, env));
    bundle.push(await timed(process.execPath, [main, ...up, `${port}`], port, process.env));
  }
  const [ownMs, bundleMs] = [median(own), median(bundle)];
  console.log(`executable, spawn to /readyz   ${ownMs.toFixed(0).padStart(5)} ms  (${rangeOf(own)})`);
  console.log(`bundle, spawn to /readyz       ${bundleMs.toFixed(0).padStart(5)} ms  (${rangeOf(bundle)})`);
  if (ownMs > bundleMs * MAX_RATIO) problems.push('the executable starts more slowly than the bundle');
}

/** Returns the milliseconds until a server is ready, and stops it. */
async function timed(program, args, port, environment) {
  const began = performance.now();
  const child = spawn(program, args, { env: environment, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - began > PATIENCE_MS)
        throw new Error(`Cannot start ${program}: it is not ready`);
      await sleep(3);
    }
    return performance.now() - began;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

function isReady(port) {
  const asked = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false });
  return new Promise((resolve) => {
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function rangeOf(values) {
  return `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
}
