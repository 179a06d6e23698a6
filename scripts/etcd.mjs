// Prints the path of an etcd for tests: node scripts/etcd.mjs [VERSION]
//
// The path is ETCD_BIN, if it is set; else, without a version, `etcd` on the PATH; else an etcd that was built before or is
// built now with Go from the module registry, in a separate module, since `go install` refuses modules with replace lines.
// Without etcd and Go, prints nothing and exits with 3.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DEFAULT_VERSION = '3.6.16';
const BUILD_MS = 15 * 60_000;

const found = await find(process.argv[2]);
if (found === undefined) process.exit(3);
console.log(found);

async function find(version) {
  if (process.env.ETCD_BIN) return process.env.ETCD_BIN;
  if (version === undefined && runs('etcd', '--version')) return 'etcd';
  return await built(version ?? DEFAULT_VERSION);
}

async function built(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`Cannot build etcd: ${version} is not a version`);
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pintle');
  const binary = join(folder, `etcd-${version}`);
  if (existsSync(binary)) return binary;
  if (!runs('go', 'version')) return undefined;
  mkdirSync(folder, { recursive: true });
  const lock = `${binary}.building`;
  while (!tryLock(lock)) {
    await sleep(500);
    if (existsSync(binary)) return binary;
  }
  try {
    if (!existsSync(binary)) build(version, folder, binary);
    return binary;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Takes the lock. A lock that a dead process left expires after the time of a build. */
function tryLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > BUILD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function build(version, folder, binary) {
  console.error(`Building etcd ${version} with Go, once: it takes a minute or two.`);
  const module = mkdtempSync(join(folder, 'etcd-module-'));
  try {
    writeFileSync(join(module, 'go.mod'), 'module pintle.example/etcd\n\ngo 1.23\n');
    const go = (...args) => execFileSync('go', args, { cwd: module, stdio: ['ignore', 2, 2], timeout: BUILD_MS });
    go('get', `go.etcd.io/etcd/server/v3@v${version}`);
    go('build', '-o', 'etcd', 'go.etcd.io/etcd/server/v3');
    renameSync(join(module, 'etcd'), binary);
  } finally {
    rmSync(module, { recursive: true, force: true });
  }
}

function runs(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
