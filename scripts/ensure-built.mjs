// Installs and builds for `npm start` and `npm test`, unless nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const stamps = join(root, 'node_modules', '.cache', 'pintle');

await ensure('installed', installInputs(), () => {
  announce('Installing packages');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
});
await ensure(
  'built',
  buildInputs(),
  async () => {
    announce('Compiling; the first time takes a minute or two');
    run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
    await bundle();
  },
  { outputs: builtFolders },
);
await ensure(
  'console',
  consoleInputs(),
  () => {
    announce('Building the console');
    const folder = join(root, 'packages', 'console');
    run(process.execPath, [
      join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
      'build',
      '--config',
      join(folder, 'vite.config.ts'),
    ]);
  },
  { isThere: existsSync(join(root, 'packages', 'console', 'dist', 'web', 'index.html')) },
);

/**
 * Runs `work` unless the last successful run had the same inputs and what it made is there. Inputs are read before the work, which
 * may miss a later change; `outputs` after it.
 */
async function ensure(name, inputs, work, { isThere = true, outputs = () => '' } = {}) {
  const stamp = join(stamps, name);
  if (isThere && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs + outputs()) return;
  await work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, inputs + outputs());
}

/** Says what takes long. npm and the compiler are silent meanwhile. */
function announce(step) {
  console.error(`${step} …`);
}

/** Bundles the command. A failure is only a warning: without a bundle, the command starts more slowly. */
async function bundle() {
  try {
    const { bundleCommand } = await import('./bundle.mjs');
    await bundleCommand();
  } catch (error) {
    console.warn(`Cannot bundle the command, which will start more slowly: ${error.message}`);
  }
}

function installInputs() {
  const files = ['package-lock.json', 'package.json', ...workspaces().map((folder) => join(folder, 'package.json'))];
  return digest(files.map((file) => readFileSync(join(root, file))));
}

function buildInputs() {
  const folders = ['tests', ...workspaces().map((folder) => join(folder, 'src'))];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file)),
  );
  const configs = [
    'tsconfig.json',
    'tsconfig.base.json',
    ...workspaces().map((folder) => join(folder, 'tsconfig.json')),
  ];
  const facts = [...files, ...configs].sort().map((file) => {
    const { mtimeMs, size } = statSync(join(root, file));
    return `${file} ${mtimeMs} ${size}`;
  });
  return digest([installInputs(), ...facts]);
}

/** Returns which workspaces are built: a folder that is deleted is built again. */
function builtFolders() {
  return workspaces()
    .filter((folder) => existsSync(join(root, folder, 'dist')))
    .join();
}

/** The page is built apart: it takes longer, and changes when nothing else does. It has the code that evaluates rules. */
function consoleInputs() {
  const folder = join('packages', 'console');
  const folders = [join(folder, 'src', 'web'), join('packages', 'cel', 'src'), join('packages', 'machinery', 'src')];
  const sources = folders.flatMap((each) =>
    readdirSync(join(root, each), { recursive: true }).map((file) => join(each, file)),
  );
  const others = [join(folder, 'src', 'protocol.ts'), join(folder, 'vite.config.ts')];
  const facts = [...sources, ...others].sort().map((file) => {
    const { mtimeMs, size } = statSync(join(root, file));
    return `${file} ${mtimeMs} ${size}`;
  });
  return digest([installInputs(), ...facts]);
}

function workspaces() {
  const folders = ['packages', 'examples'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  return folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
