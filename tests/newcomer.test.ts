import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { findKubectl, type Kubectl, kubectlFor } from './helpers/kubectl.ts';
import { packedCreate, personsEnvironment } from './helpers/packed.ts';
import { readSteps } from './helpers/page.ts';
import { descendantsOf, isAlive } from './helpers/processes.ts';
import { saveByRename } from './helpers/project.ts';
import { openShell, type RunningCommand, type Shell } from './helpers/shell.ts';
import { terminalTest as test } from './helpers/terminal.ts';

// The tutorial, read and played in its order by somebody with two terminals and an editor: every
// command and every module is taken from the page. What each section promises is looked at when it has been followed.

const STEPS = readSteps('docs/first-operator.md');
const TIMEOUT = { timeout: 120_000 };
/** As the tutorial names them: a clone, the packages that it packs, and a project beside it. */
const place = mkdtempSync(join(tmpdir(), 'pintle-newcomer-'));
const project = join(place, 'fruits');
const inProject = (path: string): string => join(project, path);
const read = (path: string): string => readFileSync(inProject(path), 'utf8');
const CONTROLLER = 'src/fruit/fruit-controller.ts';
const RESOURCE = 'src/fruit/fruit.ts';

/** Shows how `npm run dev` goes on. */
let first: Shell;
/** Takes the commands meanwhile. */
let second: Shell | undefined;
let dev: RunningCommand;
let kubectl: Kubectl;
/** Sections that were played so far. */
const followed = new Set<string>();
/** Commands for which something else was done, see below. */
const replaced = new Set<string>();

/** Commands of the page that are not typed as they stand, and why. */
const INSTEAD: Readonly<Record<string, () => Promise<unknown>>> = {
  // The clone of these tests has neighbours of its own. The same script packs into a folder of the clone, once a build.
  'npm run pack -- ../pintle-packages': async () =>
    symlinkSync(dirname(await packedCreate()), join(place, 'pintle-packages')),
  // Port 6443 may be somebody else's. The prompt comes back when it is stopped.
  'npm run dev': async () => {
    await startDev();
    second = await openShell({ cwd: project, env: environment() });
  },
};

beforeAll(async () => {
  mkdirSync(join(place, 'pintle'));
  mkdirSync(join(place, 'bin'));
  const found = await findKubectl();
  if (found !== 'kubectl') symlinkSync(found, join(place, 'bin', 'kubectl'));
  first = await openShell({ cwd: join(place, 'pintle'), env: environment() });
}, 60_000);

afterAll(async () => {
  await second?.close();
  await first?.close();
  rmSync(place, { recursive: true, force: true });
}, 120_000);

let hasFailed = false;
beforeEach(({ skip }) => skip(hasFailed, 'an earlier part of the story failed'));
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return;
  hasFailed = true;
  process.stdout.write(`The first terminal:\n${first.terminal.screen()}\n`);
  if (second) process.stdout.write(`The second terminal:\n${second.terminal.screen()}\n`);
});

test('a project begins from packed packages, and its tests pass', TIMEOUT, async () => {
  const shown = await follow('Your first operator');
  expect(shown).toMatch(/\+ src\/fruit\/fruit-controller\.test\.ts/);
  expect(shown).toMatch(/Tests +3 passed/);
  // The modules were written since.
  expect(await run('npm test')).toMatch(/Tests +3 passed/);
});

test('npm run dev runs the operator on a plane that kubectl talks to', TIMEOUT, async () => {
  const shown = await follow('Run it');
  expect(shown).toContain('fruit.food.example.com/apple created');
  expect(shown).toMatch(/apple +120/);
  kubectl = await kubectlFor(inProject('.pintle/kubeconfig'));
  await until('fruit/apple', '{.status.ripe}', 'true');
  expect(await run('kubectl get fruits,configmaps')).toContain('configmap/apple-label');
});

test('what is saved is live, and a red test tells what differs', TIMEOUT, async () => {
  const before = read(CONTROLLER);
  save(CONTROLLER, before.replace('seen: message', 'seen: message.toUpperCase()'));
  await until('fruit/apple', '{.status.seen}', 'HELLO');
  const { code, output } = await second!.run('npm test');
  expect(code, output).toBe(1);
  expect(output).toMatch(/is not as expected \(-\), but \(\+\)\s+status\.seen\s+- "good morning"\s+\+ "GOOD MORNING"/);
  expect(output).not.toContain('Test timed out');
  save(CONTROLLER, before);
  await until('fruit/apple', '{.status.seen}', 'hello');
});

test('a field that is added is served when it is saved', TIMEOUT, async () => {
  save(RESOURCE, read(RESOURCE).replace('    sweetness:', '    colour: z.string().optional(),\n    sweetness:'));
  await until('crd/fruits.food.example.com', `${SCHEMA}.colour.type}`, 'string');
  await run(`kubectl patch fruit apple --type=merge -p '{"spec":{"colour":"red"}}'`);
  expect(await kubectl('get fruit apple -o jsonpath={.spec.colour}')).toBe('red');
});

test('a mistake in a reconcile is shown with its line and its cause', TIMEOUT, async () => {
  const before = read(CONTROLLER);
  save(CONTROLLER, before.replace('    ctx.status(', "    await fetch('http://127.0.0.1:2/');\n    ctx.status("));
  const line =
    read(CONTROLLER)
      .split('\n')
      .findIndex((text) => text.includes('await fetch')) + 1;
  await dev.shows('fetch failed: connect ECONNREFUSED 127.0.0.1:2');
  await dev.shows(new RegExp(`at .*src/fruit/fruit-controller\\.ts:${line}:\\d+`));
  save(CONTROLLER, before);
  await run(`kubectl patch fruit apple --type=merge -p '{"spec":{"message":"mended"}}'`);
  await until('fruit/apple', '{.status.seen}', 'mended');
});

test('Ctrl-C stops everything in order, and the next npm run dev is at work at once', TIMEOUT, async () => {
  const processes = descendantsOf(first.terminal.pid);
  expect(processes.length).toBeGreaterThan(3);
  const { output } = await dev.interrupt();
  expect(processes.filter(isAlive)).toEqual([]);
  expect(output.lastIndexOf('Stopped leading'), output).toBeGreaterThan(output.lastIndexOf('Became the leader'));
  expect(output).not.toMatch(/npm error|ELIFECYCLE/);

  await startDev();
  expect(dev.output()).not.toContain('Waiting for the lease');
  await run(`kubectl patch fruit apple --type=merge -p '{"spec":{"message":"again"}}'`);
  await until('fruit/apple', '{.status.seen}', 'again');
});

test('webhooks that are added while it runs are asked', TIMEOUT, async () => {
  await follow('Add a validating webhook');
  const files = readdirSync(project).filter(
    (name) => !/^(?:node_modules|vendor|dist|\.pintle|.*lock\.json)$/.test(name),
  );
  expect(files.flatMap((name) => filesIn(inProject(name))).length).toBeLessThanOrEqual(15);
  await eventually(async () => {
    const { code, output } = await second!.run(
      `kubectl patch fruit apple --dry-run=server --type=merge -p '{"spec":{"message":"bad"}}'`,
    );
    return code !== 0 && output.includes('spec.message: Invalid value: "bad": must be nice');
  });
});

test('so is a second version, and what converts it', TIMEOUT, async () => {
  await follow('Add a second version');
  await until('crd/fruits.food.example.com', '{.spec.versions[1].name}', 'v2');
  const resource = read(RESOURCE);
  const [v1 = '', v2 = '', ...rest] = resource.split(/(?=^ {4}v2: \{)/m);
  const renamed = v2.replace('message:', 'text:');
  const converted = rest
    .join('')
    .replace(
      'toHub: ({ spec, status }) => ({ spec,',
      'toHub: ({ spec: { text, ...spec }, status }) => ({ spec: { ...spec, message: text },',
    )
    .replace(
      'fromHub: ({ spec, status }) => ({ spec,',
      'fromHub: ({ spec: { message, ...spec }, status }) => ({ spec: { ...spec, text: message },',
    );
  save(RESOURCE, `${v1}${renamed}${converted}`);
  await until('fruits.v2.food.example.com/apple', '{.spec.text}', 'again');
  await run(`kubectl patch fruits.v2.food.example.com apple --type=merge -p '{"spec":{"text":"second"}}'`);
  await until('fruits.v1.food.example.com/apple', '{.spec.message}', 'second');
});

/** Sections whose commands another test runs on an installed project, see project.test.ts. */
const ELSEWHERE = ['Deploy to a cluster', 'Maintain the project'];

test('nothing of the page was left out', () => {
  const all = [...STEPS].filter(([, steps]) => steps.some(({ kind }) => kind !== 'example'));
  expect(all.map(([title]) => title).filter((title) => !followed.has(title))).toEqual(ELSEWHERE);
  expect([...replaced]).toEqual(Object.keys(INSTEAD));
});

/** Does what a section of the page says, and gives what was shown. */
async function follow(section: string): Promise<string> {
  followed.add(section);
  let shown = '';
  for (const step of STEPS.get(section) ?? []) {
    if (step.kind === 'module') save(step.path, step.text);
    if (step.kind !== 'command') continue;
    const instead = Object.hasOwn(INSTEAD, step.text) ? INSTEAD[step.text] : undefined;
    if (instead) replaced.add(step.text);
    shown += instead ? ((await instead()) ?? '') : await run(step.text);
  }
  return shown;
}

/** Types a command where commands are typed, and gives what it showed. Fails when the command does. */
async function run(command: string): Promise<string> {
  const { code, output } = await (second ?? first).run(command);
  expect(code, `${command}\n${output}`).toBe(0);
  return output;
}

async function startDev(): Promise<void> {
  dev = first.start('npm run dev -- --port 0');
  await dev.shows('Became the leader');
}

function save(path: string, text: string): void {
  saveByRename(inProject(path), text);
}

const SCHEMA = '{.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties';

/** Waits until a field of an object is so. The server may not know its kind or version yet, or be asked what converts it. */
async function until(object: string, path: string, value: string): Promise<void> {
  await eventually(async () => (await kubectl(`get ${object} -o jsonpath=${path}`)) === value);
}

/** Looks until it is so. */
async function eventually(look: () => Promise<boolean>): Promise<void> {
  while (!(await look().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 100));
}

function environment(): NodeJS.ProcessEnv {
  const { NO_COLOR: _plain, ...env } = personsEnvironment();
  return { ...env, PATH: [join(place, 'bin'), env.PATH].join(delimiter) };
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}
