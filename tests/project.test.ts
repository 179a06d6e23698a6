import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectlFor } from './helpers/kubectl.ts';
import { createInstalledProject, replayDockerfile } from './helpers/packed.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const parent = mkdtempSync(join(tmpdir(), 'pintle-project-'));
const project = join(parent, 'fruits');
const modules = join(project, 'node_modules');
afterAll(() => rmSync(parent, { recursive: true, force: true }), 120_000);

/** As the tutorial says: from what the clone packs, with a real npm install. */
beforeAll(async () => {
  await createInstalledProject(parent, 'fruits', '--domain', 'example.com', '--yes');
}, 300_000);

const KUBECONFIG = join(project, '.pintle', 'kubeconfig');
const MAIN = join(modules, '@pintle', 'cli', 'bin', 'pintle.js');

async function pintle(command: string, { cwd = project } = {}): Promise<string> {
  const { stdout } = await run(process.execPath, [MAIN, ...command.split(' ')], { cwd, env: environment() });
  return stdout;
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, VITEST: '', KUBECONFIG, NO_COLOR: '1' };
}

test('from an empty folder to a deployed operator', { timeout: 300_000 }, async () => {
  await pintle('create api --group food --version v1 --kind Fruit');
  await pintle('create webhook --kind Fruit --defaulting --validation');
  const written = readdirSync(project).filter((name) => !/^(?:node_modules|vendor|package-lock\.json)$/.test(name));
  const files = written.flatMap((name) => filesIn(join(project, name)));
  expect(files.length).toBeLessThanOrEqual(15);
  const again = [
    'init . --domain example.com --yes',
    'create api --group food --version v1 --kind Fruit',
    'create webhook --kind Fruit --defaulting --validation',
    'edit --domain example.com',
    'upgrade',
  ];
  for (const command of again) expect(await pintle(command), command).toContain('Nothing to change');
  await pintle('upgrade --check');

  followTutorial();
  settle({ env: [{ name: 'LOG_LEVEL', value: 'debug' }], podLabels: { team: 'fruit' } });
  await pintle('generate manifests --image registry.example.com/fruits:1');
  expect(await pintle('generate manifests --check')).toContain('Nothing to change');
  const vitest = join(modules, 'vitest', 'vitest.mjs');
  const testing = `${process.execPath} ${vitest} run --dir src --testTimeout 60000`;
  const tested = await pintle(`observe -- ${testing}`);
  expect(tested).toContain('5 passed');
  expect(tested).toContain('+ pintle.observed.json: fruits.food.example.com/status patch');
  expect(await pintle('generate manifests --check')).toContain('Nothing to change');
  expect(await pintle('validate -f manifests/install.yaml')).toContain('Deployment fruits-system/fruits');
  await pintle('generate bundle --version 1.0.0');
  expect(await pintle('generate bundle --version 1.0.0 --check')).toContain('Nothing to change');

  const dev = spawn(process.execPath, [MAIN, 'dev', '--port', '0'], { cwd: project, env: environment() });
  let log = '';
  dev.stdout.on('data', (chunk) => (log += chunk));
  dev.stderr.on('data', (chunk) => (log += chunk));
  const ended = once(dev, 'exit');
  const logged = async (text: string): Promise<void> => {
    while (!log.includes(text)) {
      const isOver = await Promise.race([once(dev.stdout, 'data').then(() => false), ended.then(() => true)]);
      if (isOver) throw new Error(`pintle dev ended: ${log}`);
    }
  };
  try {
    await logged('Became the leader');
    const kubectl = await kubectlFor(KUBECONFIG);
    const seen = (text: string) => kubectl(`wait fruit/apple --for=jsonpath={.status.seen}=${text} --timeout=60s`);
    await kubectl('apply -f -', fruit('apple', 'crisp'));
    await seen('crisp');
    expect(await kubectl('get configmap apple-label -o jsonpath={.data.weight}')).toBe('100');
    expect(await kubectl('explain fruit.spec.weight')).toContain('In grams.');
    await expect(kubectl('apply -f -', fruit('pear', 'bad'))).rejects.toThrow('must be nice');

    const controller = join(project, 'src', 'fruit', 'fruit-controller.ts');
    const changed = readFileSync(controller, 'utf8').replace('seen: message', 'seen: message.toUpperCase()');
    writeFileSync(controller, changed);
    await seen('CRISP');

    expect(await startedBy('run')).toContain('Started');

    expect(await startedFromImage(await builtImage())).toContain('"message":"Started"');
    const dockerImage = await replayDockerfile(project, parent);
    expect(readdirSync(join(dockerImage, 'node_modules', '@pintle'))).not.toContain('testing');
    expect(await startedFromImage(dockerImage)).toContain('"message":"Started"');

    const said = await pintle('deploy');
    expect(said).toContain('1 of 1 available');
    expect(said).toContain('unchanged: an operator outside of the cluster serves it');
    expect(said).toContain('The nodes of this cluster are simulated: the container of the operator does not run\n');
    const deployed = 'get deployment fruits -n fruits-system -o jsonpath={.spec.template.spec.containers[0]';
    expect(await kubectl(`${deployed}.image}`)).toBe('registry.example.com/fruits:1');
    expect(await kubectl(`${deployed}.env[?(@.name=="LOG_LEVEL")].value}`)).toBe('debug');
    expect(await pintle('deploy --image fruits:2')).toContain('1 of 1 available');
    expect(await pintle('generate manifests --check')).toContain('Nothing to change');
    expect(await pintle('deploy --no-wait')).toContain('  Deployment fruits-system/fruits');
    expect(await kubectl(`${deployed}.image}`)).toBe('fruits:2');
    expect(await kubectl('get deployment fruits -n fruits-system -o jsonpath={.status.readyReplicas}')).toBe('1');
    await pintle('undeploy');
  } finally {
    dev.kill('SIGTERM');
    await ended;
  }
});

test('doctor sees what is stale, uninstall what is held, and both say what to do', { timeout: 300_000 }, async () => {
  const plane = spawn(process.execPath, [MAIN, 'up', '--memory', '--port', '0', '--kubeconfig', KUBECONFIG], {
    cwd: project,
    env: environment(),
  });
  const ended = once(plane, 'exit');
  try {
    for await (const chunk of plane.stdout) if (`${chunk}`.includes('Press Ctrl-C to stop')) break;
    await pintle('generate manifests');
    expect(await diagnosis()).toMatch(
      /^-- definitions .*1 of 1 not on the cluster yet; run npx --no-install pintle install/m,
    );
    await pintle('install');
    expect(await diagnosis()).toMatch(
      /^ok manifests .*\nok cluster .*\nok definitions +1 on the cluster, up to date with the code$/m,
    );

    const resource = join(project, 'src', 'fruit', 'fruit.ts');
    writeFileSync(resource, readFileSync(resource, 'utf8').replace('In grams.', 'In pounds.'));
    await pintle('generate manifests');
    const written = readFileSync(join(project, 'manifests', 'install.yaml'), 'utf8');
    expect(written).toContain('description: In pounds.');
    expect(await diagnosis()).toMatch(/^ok definitions +1 on the cluster, up to date with the code$/m);
    writeFileSync(resource, readFileSync(resource, 'utf8').replace("default('hello')", "default('hi')"));
    const stale = await diagnosis();
    expect(stale).toMatch(/^NO manifests +out of date: .*install\.yaml.*; run npx --no-install pintle generate manif/m);
    expect(stale).toMatch(
      /^NO definitions +out of date: fruits\.food\.example\.com; run npx --no-install pintle inst/m,
    );
    expect(stale).toMatch(/^-- engine +no docker, podman or buildah: install one/m);
    expect(stale).toMatch(/^-- kubectl +not found: install it/m);
    await pintle('generate manifests');
    await pintle('install');
    expect(await diagnosis()).not.toMatch(/^NO/m);

    const kubectl = await kubectlFor(KUBECONFIG);
    await kubectl('apply -f -', fruit('apple', 'crisp', ['food.example.com/eaten']));
    await expect(pintle('uninstall')).rejects.toThrow(
      'Cannot delete the CRDs: this deletes 1 object of fruits.food.example.com. Pass --yes',
    );
    await expect(pintle('uninstall --yes --timeout 1s')).rejects.toThrow(
      'Fruit default/apple waits for food.example.com/eaten. Run the operator until they are gone, or remove the finalizers of each: ' +
        'kubectl patch fruits.v1.food.example.com apple -n default --type=merge -p \'{"metadata":{"finalizers":null}}\'',
    );
    const release = [
      'patch',
      'fruits.v1.food.example.com',
      'apple',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    ];
    await kubectl(release.join(' '));
    expect(await pintle('uninstall')).not.toContain('with the CRDs');
    await pintle('install');
    await kubectl('apply -f -', fruit('pear', 'ripe'));
    expect(await pintle('uninstall --yes')).toContain('Deleted 1 object with the CRDs');
    expect(await pintle('uninstall')).toContain('Nothing to remove');
  } finally {
    plane.kill('SIGTERM');
    await ended;
  }
});

/** Returns the output of doctor where there is nothing but node. */
async function diagnosis(): Promise<string> {
  const options = { cwd: project, env: { ...environment(), PATH: parent } };
  const { stdout } = await run(process.execPath, [MAIN, 'doctor'], options).catch((error: { stdout: string }) => error);
  return stdout;
}

test('help is answered without the program, in its words', async () => {
  const texts = join(modules, '@pintle', 'cli', 'dist', 'bundle', 'help.json');
  const asked = { cwd: parent };
  const quick = await pintle('help create api', asked);
  renameSync(texts, `${texts}.away`);
  expect(await pintle('help create api', asked)).toBe(quick);
  renameSync(`${texts}.away`, texts);
});

/** The folder of an image's files, laid over each other as a container would see them. */
async function builtImage(): Promise<string> {
  const built = async (to: string) =>
    JSON.parse(await pintle(`build --engine none --layout ${to} --output json`)) as {
      digest: string;
      layers: { digest: string }[];
    };
  const { digest, layers } = await built('image');
  expect((await built('again.tar')).digest).toBe(digest);
  const bare = await pintle('build --layout bare.tar');
  const nowhere = { cwd: project, env: { ...environment(), PATH: parent } };
  await expect(run(process.execPath, [MAIN, 'build'], nowhere)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('none of docker, podman, buildah responds'),
  });
  expect(bare).toContain('The image has no Node.js and does not run. Build it again on a base image that has it:');
  expect(bare).toContain('pintle build --base node.tar --layout bare.tar --tag registry.example.com/fruits:1\n');
  expect(await pintle('build --base image --layout whole.tar')).toContain(
    '\nNext:\n  skopeo copy oci-archive:whole.tar docker://registry.example.com/fruits:1\n',
  );
  expect(await pintle('build --base image --tag fruits --layout whole.tar')).toContain('--tag REGISTRY/fruits\n');
  const root = join(parent, 'root');
  mkdirSync(root);
  for (const layer of layers)
    await run('tar', ['-xzf', join(project, 'image', 'blobs', ...layer.digest.split(':')), '-C', root]);
  const app = join(root, 'app');
  const { sourceRoot, sources } = JSON.parse(readFileSync(join(app, 'dist', 'fruit', 'fruit.js.map'), 'utf8'));
  expect(join(sourceRoot, sources[0])).toBe('/app/src/fruit/fruit.ts');
  return app;
}

/** What the operator of an image says until it has started. */
async function startedFromImage(app: string): Promise<string> {
  const ports = { HEALTH_PORT: '0', METRICS_PORT: '0', WEBHOOK_PORT: '0' };
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: app, env: { ...environment(), ...ports } });
  const ended = once(child, 'exit');
  let log = '';
  for await (const chunk of child.stderr) {
    log += chunk;
    if (log.includes('"Started"')) break;
  }
  child.kill('SIGTERM');
  await ended;
  return log;
}

/** What a command says until the operator has started. */
async function startedBy(command: string): Promise<string> {
  const ports = { HEALTH_PORT: '0', METRICS_PORT: '0', WEBHOOK_PORT: '0' };
  const child = spawn(process.execPath, [MAIN, command], { cwd: project, env: { ...environment(), ...ports } });
  const ended = once(child, 'exit');
  let log = '';
  for await (const chunk of child.stdout) {
    log += chunk;
    if (log.includes('Started')) break;
  }
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  return log;
}

/** Writes settings of the deployment into pintle.json, as a person would. */
function settle(deployment: object): void {
  const file = join(project, 'pintle.json');
  const settings = { ...JSON.parse(readFileSync(file, 'utf8')), deployment };
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
}

function filesIn(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}

/** Writes the modules of the tutorial, as a person who reads it would. */
function followTutorial(): void {
  const tutorial = readFileSync(join(ROOT, 'docs', 'first-operator.md'), 'utf8');
  const modules = [...tutorial.matchAll(/```ts\n\/\/ (src\/\S+)\n([\s\S]*?)```/g)];
  expect(modules.length).toBeGreaterThan(1);
  for (const [, path = '', text = ''] of modules) writeFileSync(join(project, path), text);
}

function fruit(name: string, message: string, finalizers: readonly string[] = []): string {
  return JSON.stringify({
    apiVersion: 'food.example.com/v1',
    kind: 'Fruit',
    metadata: { name, namespace: 'default', finalizers },
    spec: { message },
  });
}
