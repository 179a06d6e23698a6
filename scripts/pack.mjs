// Packs all packages into a folder, for projects that do not use a registry: `npm run pack -- DIR`.
//
// The packages depend on each other as files in the folder, so that npm never asks a registry for a name that another owner
// may have. The version depends on the build, since npm caches files by name.
//
// With --release the packages are packed as they are published: with their own version, and depending on versions.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const isRelease = process.argv.includes('--release');
const [directory, ...others] = process.argv.slice(2).filter((each) => each !== '--release');
if (directory === undefined || others.length > 0) {
  console.error('pack: Cannot pack: pass one folder, as in npm run pack -- DIR');
  process.exit(1);
}
// npm runs scripts in the folder of the package: paths are relative to the folder of the user.
const target = resolve(process.env.INIT_CWD ?? '.', directory);
const packages = readPackages();
const version = isRelease ? packages[0].manifest.version : buildVersion();
const names = new Set(packages.map(({ manifest }) => manifest.name));
if (isRelease || !packages.every(({ manifest }) => existsSync(join(target, fileOf(manifest.name))))) pack();
console.log(`Packed ${packages.length} packages, version ${version}`);
if (!isRelease)
  console.log(
    `\nCreate a project with:\n  npx --yes --package ${join(target, fileOf('create-pintle'))} create-pintle fruits`,
  );

function readPackages() {
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** Returns a version for the content. The letter keeps digits from being a number with leading zeros. */
function buildVersion() {
  const hash = createHash('sha256');
  for (const { folder, manifest } of packages) {
    hash.update(JSON.stringify(manifest));
    for (const file of filesOf(folder)) hash.update(`\0${relative(folder, file)}\0`).update(readFileSync(file));
  }
  return `${packages[0].manifest.version}-build.h${hash.digest('hex').slice(0, 10)}`;
}

function filesOf(folder) {
  return ['bin', 'dist']
    .map((name) => join(folder, name))
    .filter(existsSync)
    .flatMap((path) => readdirSync(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tsbuildinfo') && !/\.test\./.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns the file name that npm uses. */
function fileOf(name) {
  return `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`;
}

function pack() {
  mkdirSync(target, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'pintle-pack-'));
  try {
    const folders = packages.map((each) => stage(each, staging));
    const packed = join(staging, 'packed');
    mkdirSync(packed);
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed, ...folders]);
    const older = readdirSync(target).filter((file) => /^(?:create-)?pintle-.*\.tgz$/.test(file));
    for (const file of readdirSync(packed)) putWhole(join(packed, file), join(target, file));
    for (const file of older) if (!file.endsWith(`-${version}.tgz`)) rmSync(join(target, file), { force: true });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Copies a file atomically: other processes may pack into the folder, or read from it. */
function putWhole(from, to) {
  const partial = `${to}.${process.pid}`;
  cpSync(from, partial);
  renameSync(partial, to);
}

function stage({ folder, manifest }, staging) {
  const to = join(staging, relative(join(root, 'packages'), folder));
  mkdirSync(to);
  for (const file of filesOf(folder)) {
    mkdirSync(dirname(join(to, relative(folder, file))), { recursive: true });
    cpSync(file, join(to, relative(folder, file)));
  }
  for (const file of [join(folder, 'README.md'), join(root, 'LICENSE')])
    if (existsSync(file)) cpSync(file, join(to, file.slice(dirname(file).length + 1)));
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    names.has(name) && !isRelease ? `file:${fileOf(name)}` : range,
  ]);
  const written = {
    ...publishedManifest(manifest),
    version,
    dependencies: Object.fromEntries(dependencies),
  };
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(written, null, 2)}\n`);
  updateVersion(join(to, 'dist', 'bundle', 'help.json'));
  return to;
}

/**
 * Returns a manifest without what only a clone has: sources, suites for tests, scripts and their dependencies. In a workflow of
 * GitHub it names the repository, which the provenance of a package refers to.
 */
function publishedManifest({ devDependencies: _dev, scripts: _scripts, exports = {}, ...manifest }) {
  const entries = Object.entries(exports)
    .filter(([path]) => path !== './testing')
    .map(([path, target]) => {
      if (typeof target === 'string') return [path, target];
      const { 'pintle:source': _source, ...conditions } = target;
      return [path, conditions];
    });
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  return {
    ...manifest,
    ...(entries.length > 0 && { exports: Object.fromEntries(entries) }),
    ...(GITHUB_REPOSITORY && {
      repository: { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` },
    }),
  };
}

/** Updates the version in the texts that the command prints without loading its code. */
function updateVersion(file) {
  if (!existsSync(file)) return;
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version }));
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
