// Builds one file that runs pintle without Node.js (decision 92): `npm run build:executable -- [FILE]`. The file is for the system
// and the processor of this machine, and has the Node.js that runs this script.
import { fork } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { startGroups } from './bundle.mjs';
import { ensureTools, run, TOOLS } from './ensure-tools.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'packages', 'cli', 'dist');
const executable = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? join(root, 'release', 'pintle-linux-x64'));
const MIB = 1024 * 1024;
/** Folders of commands that only the npm packages have. */
const LEFT_OUT = /^(?:backup|console|keys|migrate|observe|project)\//;
const NO_ENGINE = `
import { UsageError } from ${JSON.stringify(join(dist, 'usage-error.js'))};
export class JournaledEngine {
  static async open(directory) {
    throw new UsageError(\`Cannot open \${directory}: the executable keeps no objects in folders; pass --memory\`);
  }
}
`;

if (process.platform !== 'linux') {
  console.error('executable: Cannot build: executables are built on Linux');
  process.exit(1);
}
ensureTools();
const folder = mkdtempSync(join(tmpdir(), 'pintle-executable-'));
try {
  await bundle();
  await writeHelp();
  await compile();
  inject();
  console.log(
    `Wrote ${executable}, ${Math.round(statSync(executable).size / MIB)} MiB, with Node.js ${process.version}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Bundles all packages, also those from npm, to modules of CommonJS: `vm.Script` compiles these, and takes compiled code. */
async function bundle() {
  const { plugin, groups } = startGroups();
  const built = await rolldown({
    input: join(dist, 'executable', 'main.js'),
    platform: 'node',
    plugins: [plugin, { name: 'executable', resolveId, load, transform }],
    checks: { ineffectiveDynamicImport: false },
  });
  await built.write({ dir: folder, format: 'cjs', codeSplitting: { groups } });
  await built.close();
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    const wrapped = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
    writeFileSync(join(folder, name), wrapped);
  }
}

/** Leaves out commands: their modules load when they run. */
function resolveId(source, importer, { kind }) {
  if (kind !== 'dynamic-import' || importer === undefined) return undefined;
  const isOfLeftOut =
    LEFT_OUT.test(relative(dist, importer)) ||
    (importer === join(dist, 'program.js') && LEFT_OUT.test(relative(dist, resolve(dist, source))));
  return isOfLeftOut ? { id: 'left-out', external: true } : undefined;
}

function load(id) {
  if (id === join(dist, 'project', 'version.js')) {
    const { version } = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8'));
    return `export const packageVersion = () => ${JSON.stringify(version)};\nexport const PINTLE = 'pintle';\n`;
  }
  return id === join(root, 'packages', 'store', 'dist', 'engine', 'journaled-engine.js') ? NO_ENGINE : undefined;
}

/** Lets the bundler see packages that a module requires. */
function transform(code) {
  const own = 'const require = createRequire(import.meta.url);';
  return code.includes(own) ? code.replace(own, '') : undefined;
}

async function writeHelp() {
  const load = (path) => import(pathToFileURL(join(dist, path)));
  const [{ createExecutableProgram }, { helpTexts }] = await Promise.all([
    load('executable/program.js'),
    load('help/help-texts.js'),
  ]);
  writeFileSync(join(folder, 'help.json'), JSON.stringify(helpTexts(createExecutableProgram())));
}

/** Runs a server until it is ready, and keeps the code that V8 has compiled by then. */
async function compile() {
  const kubeconfig = join(folder, 'kubeconfig');
  const args = [folder, 'up', '--memory', '--nodes', '1', '--port', '0', '--kubeconfig', kubeconfig];
  const child = fork(join(root, 'scripts', 'executable', 'record.cjs'), args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    output += text;
    if (child.connected && output.includes('Press Ctrl-C')) child.send('write');
  }
  rmSync(kubeconfig, { force: true });
  if (!existsSync(join(folder, 'main.js.code'))) throw new Error(`Cannot compile the modules: ${output}`);
}

/** Adds the loader and the modules to a copy of Node.js. */
function inject() {
  const names = readdirSync(folder);
  const blob = join(folder, 'blob');
  const config = join(folder, 'config');
  const settings = {
    main: join(root, 'scripts', 'executable', 'loader.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(names.map((name) => [name, join(folder, name)])),
  };
  writeFileSync(config, JSON.stringify(settings));
  run(process.execPath, ['--experimental-sea-config', config], root);
  mkdirSync(dirname(executable), { recursive: true });
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
  run(
    process.execPath,
    [join(TOOLS, 'node_modules', 'postject', 'dist', 'cli.js'), executable, 'NODE_SEA_BLOB', blob, ...fuse],
    root,
  );
}
