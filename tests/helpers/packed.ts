import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, 'node_modules', '.cache', 'pintle', 'packages');

/**
 * The environment of a person who types npm commands: without what the npm that runs the tests tells its children. No
 * registry answers for our packages, so that whoever asks one for them fails.
 */
export function personsEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|NODE_ENV|INIT_CWD|PINTLE_|USE_EXISTING_CLUSTER|KUBECONFIG|CI$)/i.test(name),
  );
  return {
    ...Object.fromEntries(own),
    'npm_config_@pintle:registry': 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    npm_config_prefer_offline: 'true',
    NO_COLOR: '1',
  };
}

/** Packs this clone, unless that was done since it was built. Gives the file of create-pintle. */
export async function packedCreate(): Promise<string> {
  await run(process.execPath, [join(ROOT, 'scripts', 'pack.mjs'), FOLDER], { env: personsEnvironment() });
  const file = readdirSync(FOLDER).find((name) => name.startsWith('create-pintle-'));
  return join(FOLDER, file!);
}

/** Begins a project below a folder as the tutorial says, and installs what it depends on. Gives its folder. */
export async function createInstalledProject(parent: string, name: string, ...args: string[]): Promise<string> {
  const create = ['--yes', '--package', await packedCreate(), 'create-pintle', name, ...args];
  await run('npx', create, { cwd: parent, env: personsEnvironment() });
  const directory = join(parent, name);
  await npm(directory, 'install');
  return directory;
}

/** Runs an npm command and gives what it printed. */
export async function npm(directory: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--no-audit', '--no-fund'], {
    cwd: directory,
    env: personsEnvironment(),
  });
  return stdout;
}

/**
 * Does what a project's Dockerfile says, with folders in the place of images: each stage sees exactly what was copied
 * into it, and copies from the project only what .dockerignore lets through. Gives the folder of the last stage's files.
 */
export async function replayDockerfile(project: string, parent: string): Promise<string> {
  const ignored = readFileSync(join(project, '.dockerignore'), 'utf8').trim().split('\n');
  if (ignored[0] !== '*') throw new Error('Cannot replay: .dockerignore does not begin with *');
  const allowed = new Set(ignored.slice(1).map((line) => line.replace(/^!/, '')));
  const stages = new Map<string, string>();
  let stage = '';
  for (const line of readFileSync(join(project, 'Dockerfile'), 'utf8').split('\n')) {
    const [instruction = '', ...words] = line.trim().split(/\s+/);
    switch (instruction) {
      case '':
      case 'ENV':
      case 'USER':
      case 'ENTRYPOINT':
        break;
      case 'FROM':
        stage = join(parent, `stage-${stages.size}`);
        stages.set(words[2] ?? 'last', stage);
        mkdirSync(join(stage, 'app'), { recursive: true });
        break;
      case 'WORKDIR':
        if (words[0] !== '/app') throw new Error(`Cannot replay: ${line}`);
        break;
      case 'COPY':
        copy(words, { stages, stage, project, allowed });
        break;
      case 'RUN':
        await run('sh', ['-ec', words.join(' ')], { cwd: join(stage, 'app'), env: personsEnvironment() });
        break;
      default:
        throw new Error(`Cannot replay: ${line}`);
    }
  }
  return join(stage, 'app');
}

interface Place {
  readonly stages: ReadonlyMap<string, string>;
  readonly stage: string;
  readonly project: string;
  readonly allowed: ReadonlySet<string>;
}

/** Of a folder, COPY takes what is in it; a source with a star may be missing. */
function copy(words: readonly string[], { stages, stage, project, allowed }: Place): void {
  const other = words[0]?.startsWith('--from=') ? stages.get(words[0].slice('--from='.length)) : undefined;
  const sources = words.slice(other === undefined ? 0 : 1, -1);
  const target = join(stage, 'app', words.at(-1)!);
  for (const source of sources) {
    const name = source.replace(/\*$/, '');
    const from = other === undefined ? join(project, name) : join(other, name);
    if (other === undefined && !allowed.has(name)) throw new Error(`COPY ${source}: it is not in the build context`);
    if (!existsSync(from) && name !== source) continue;
    cpSync(from, words.at(-1) === './' ? join(target, name.split('/').at(-1)!) : target, { recursive: true });
  }
}
