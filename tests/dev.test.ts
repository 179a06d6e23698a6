import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { connect, loadConfig, waitFor } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { type KubernetesObject, resourceType } from '@pintle/machinery';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { kubectlFor } from './helpers/kubectl.ts';
import { descendantsOf, isAlive } from './helpers/processes.ts';
import { MAIN, pintle, saveByRename, scaffoldFruits, TWO_VERSIONS } from './helpers/project.ts';
import { CTRL_C, openTerminal, type Terminal, terminalTest as test } from './helpers/terminal.ts';

const { parent, project } = await scaffoldFruits();
const TIMEOUT = { timeout: 120_000 };

/** A person at a terminal in the project's folder; a test never starts more than one `pintle dev` at a time. */
let dev: Terminal | undefined;
let client: Client;

beforeAll(async () => {
  dev = await startDev();
  client = await connect(await loadConfig({ kubeconfig: join(project, '.pintle', 'kubeconfig') }));
  await client.create(Fruit, { metadata: apple, spec: { message: 'crisp' } });
  await untilSeen('crisp');
}, 120_000);

afterAll(async () => {
  await client?.close();
  dev?.type(CTRL_C);
  await dev?.exited;
  rmSync(parent, { recursive: true, force: true });
}, 60_000);

afterEach(({ task }) => {
  if (task.result?.state === 'fail') process.stdout.write(`The screen:\n${dev?.screen()}\n`);
});

interface Fruit extends KubernetesObject {
  readonly spec: { readonly message?: string; readonly weight?: number; readonly text?: string };
  readonly status?: { readonly seen?: string };
}
const typeOf = (version: string) =>
  resourceType<Fruit>({ group: 'food.example.com', version, kind: 'Fruit', plural: 'fruits', scope: 'Namespaced' });
const Fruit = typeOf('v1');
const apple = { namespace: 'default', name: 'apple' };
const controller = join(project, 'src', 'fruit', 'fruit-controller.ts');
const resource = join(project, 'src', 'fruit', 'fruit.ts');

describe('while it runs', () => {
  test('a file that is saved by rename is seen each time', TIMEOUT, async () => {
    for (const word of ['once', 'twice', 'thrice']) {
      saveByRename(controller, readFileSync(controller, 'utf8').replace(/seen: [^}]*}/, `seen: '${word}' }`));
      await untilSeen(word);
    }
    saveByRename(controller, readFileSync(controller, 'utf8').replace("'thrice'", 'fruit.spec.message'));
    await untilSeen('crisp');
  });

  test('folders that come and go are followed', TIMEOUT, async () => {
    const folder = join(project, 'src', 'words');
    for (let round = 0; round < 20; round++) {
      mkdirSync(join(folder, 'inner'), { recursive: true });
      writeFileSync(join(folder, 'inner', 'word.ts'), `export const word = 'round ${round}';\n`);
      if (round % 2 === 0) await realClock.sleep(5);
      rmSync(folder, { recursive: true });
    }
    mkdirSync(join(folder, 'inner'), { recursive: true });
    writeFileSync(join(folder, 'inner', 'word.ts'), "export const word = 'sour';\n");
    const before = readFileSync(controller, 'utf8');
    writeFileSync(
      controller,
      `import { word } from '../words/inner/word.ts';\n${before.replace('fruit.spec.message', 'word')}`,
    );
    await untilSeen('sour');
    writeFileSync(join(folder, 'inner', 'word.ts'), "export const word = 'sweet';\n");
    await untilSeen('sweet');
    rmSync(folder, { recursive: true });
    await dev!.shows(/Operator failed: [\s\S]*words\/inner\/word\.js/);
    expect(existsSync(join(project, 'dist', 'words', 'inner', 'word.js'))).toBe(false);
    writeFileSync(controller, before);
    await untilSeen('crisp');
  });

  test('a change of the schema is known to the server', TIMEOUT, async () => {
    const before = readFileSync(resource, 'utf8');
    saveByRename(resource, before.replace('  spec: z.object({', '  spec: z.object({\n    weight: z.int().optional(),'));
    await untilDefined(({ spec }) => JSON.stringify(spec.versions[0]?.schema).includes('weight'));
    await eventually(async () => {
      const { spec } = await client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: 7 } } });
      return spec.weight === 7;
    });
    const withWeight = readFileSync(resource, 'utf8');
    saveByRename(resource, withWeight.replace('weight: z.int()', 'weight: z.int().min(1)'));
    await untilDefined(({ spec }) => JSON.stringify(spec.versions[0]?.schema).includes('"minimum":1'));
    saveByRename(resource, withWeight);
    await untilDefined(({ spec }) => !JSON.stringify(spec.versions[0]?.schema).includes('"minimum":1'));
  });

  test('so is a comment of a field, and the next one', TIMEOUT, async () => {
    const before = readFileSync(resource, 'utf8');
    const kubectl = await kubectlFor(join(project, '.pintle', 'kubeconfig'));
    for (const comment of ['In grams.', 'In pounds.']) {
      saveByRename(resource, before.replace('    weight:', `    /** ${comment} */\n    weight:`));
      await untilDefined(({ spec }) => JSON.stringify(spec.versions[0]?.schema).includes(comment));
    }
    await eventually(async () => (await kubectl('explain fruit.spec.weight')).includes('In pounds.'));
    expect(await kubectl('explain fruit.spec.message')).toContain('Message that the controller copies');
  });

  test('so is a version that is added, and what converts it', TIMEOUT, async () => {
    writeFileSync(resource, TWO_VERSIONS);
    await untilDefined(({ spec }) => spec.versions.some(({ name }) => name === 'v2'));
    await eventually(async () => {
      const { spec } = await client.get(typeOf('v2'), apple);
      return spec.text === 'crisp';
    });
  });

  test('a stored version that moves waits until all of the code knows it', TIMEOUT, async () => {
    const files = [controller, join(project, 'src', 'fruit', 'fruit-webhooks.ts'), resource];
    const before = files.map((path) => readFileSync(path, 'utf8'));
    const stored = async () => {
      const { spec } = await client.get(CustomResourceDefinition, { name: 'fruits.food.example.com' });
      return spec.versions.find(({ storage }) => storage)?.name;
    };
    writeFileSync(resource, STORED_AS_V2);
    await dev!.shows('The stored version of Fruit moved from v1 to v2: the previous code keeps running until');
    await dev!.shows(/fruit-controller\.ts\(\d+,\d+\): error TS2339: Property 'message' does not exist/);
    expect(await stored()).toBe('v1');
    await client.patch(Fruit, apple, { type: 'merge', body: { spec: { message: 'mellow' } } });
    await untilSeen('mellow');
    for (const [at, path] of files.slice(0, 2).entries())
      writeFileSync(path, before[at]!.replaceAll('spec.message', 'spec.text'));
    await eventually(async () => (await stored()) === 'v2');
    await eventually(async () => {
      await client.patch(Fruit, apple, { type: 'merge', body: { spec: { message: 'crisp' } } });
      return true;
    });
    await untilSeen('crisp');
    for (const [at, path] of files.entries()) writeFileSync(path, before[at]!);
    await eventually(async () => (await stored()) === 'v1');
  });

  test('and a resource that no controller looks after', TIMEOUT, async () => {
    await pintle(project, 'create api --group food --version v1 --kind Basket --no-controller');
    await untilDefined(
      ({ spec }) => JSON.stringify(spec.versions[0]?.schema).includes('Message that the controller copies'),
      'baskets.food.example.com',
    );
  });

  test('a mistake is shown with its place and its causes', TIMEOUT, async () => {
    const before = readFileSync(controller, 'utf8');
    writeFileSync(
      controller,
      before.replace('    ctx.status(', "    await fetch('http://127.0.0.1:2/');\n    ctx.status("),
    );
    await dev!.shows('fetch failed: connect ECONNREFUSED 127.0.0.1:2');
    await dev!.shows(/at .*src\/fruit\/fruit-controller\.ts:\d+:\d+/);
    writeFileSync(controller, before);
  });

  test('nobody is refused because the operator restarts', TIMEOUT, async () => {
    const before = readFileSync(controller, 'utf8');
    const starts = (): number => dev!.screen().split('Became the leader').length - 1;
    const startsBefore = starts();
    saveByRename(controller, `${before}// A comment.\n`);
    let writes = 0;
    while (starts() === startsBefore) {
      writes++;
      await client.patch(Fruit, apple, { type: 'merge', body: { metadata: { labels: { writes: `${writes}` } } } });
    }
    expect(writes).toBeGreaterThan(0);
    saveByRename(controller, before);
    await dev!.shows('Became the leader', { times: startsBefore + 2 });
  });

  test('type errors are told, and the operator runs all the same', TIMEOUT, async () => {
    const before = readFileSync(controller, 'utf8');
    writeFileSync(controller, `${before}export const wrong: number = 'a text';\n`);
    await dev!.shows(
      /Type errors \(they do not stop the operator\):\nsrc\/fruit\/fruit-controller\.ts\(\d+,\d+\): error/,
    );
    writeFileSync(controller, before);
    await dev!.shows('Compiles again');
  });

  test('type errors of an operator that ended do not claim that it runs', TIMEOUT, async () => {
    const before = readFileSync(controller, 'utf8');
    writeFileSync(
      controller,
      `${before}export const ended: number = process.exit(1) ?? 'a text';\nconst wrong: number = 'a';\n`,
    );
    await dev!.shows('Operator exited with code 1');
    await dev!.shows(
      /Type errors \(they do not stop the operator\):\nsrc\/fruit\/fruit-controller\.ts\(\d+,\d+\): error/,
      { times: 2 },
    );
    expect(dev!.screen()).not.toContain('operator keeps running');
    writeFileSync(controller, before);
    await dev!.shows('Compiles again', { times: 2 });
  });

  test('after a syntax error the code before goes on running', TIMEOUT, async () => {
    const before = readFileSync(controller, 'utf8');
    writeFileSync(controller, `${before}export const = ;\n`);
    await dev!.shows(
      /Syntax error: the previous code keeps running:\nsrc\/fruit\/fruit-controller\.ts\(\d+,\d+\): error/,
    );
    writeFileSync(controller, before);
    await dev!.shows('Compiles again', { times: 3 });
  });

  test('a resource that cannot be defined is told with its place', TIMEOUT, async () => {
    const before = readFileSync(resource, 'utf8');
    writeFileSync(resource, before.replace('z.int().optional()', 'z.date()'));
    await dev!.shows(/Operator failed: Cannot define Fruit[\s\S]*?\n {4}at .*src\/fruit\/fruit\.ts:\d+:\d+/);
    const times = dev!.screen().split('Became the leader').length;
    writeFileSync(resource, before);
    await dev!.shows('Became the leader', { times });
  });

  test('an operator beside it waits for its lease, and takes nothing with it when it ends', TIMEOUT, async () => {
    const kubeconfig = join(project, '.pintle', 'kubeconfig');
    const kubectl = await kubectlFor(kubeconfig);
    const registered = () =>
      Promise.all([
        kubectl('get mutatingwebhookconfiguration fruits -o=jsonpath={.webhooks[*].clientConfig.url}'),
        kubectl('get validatingwebhookconfiguration fruits -o=jsonpath={.webhooks[*].clientConfig.url}'),
        kubectl('get crd fruits.food.example.com -o=jsonpath={.spec.conversion.webhook.clientConfig.url}'),
      ]);
    const before = await registered();
    expect(before.filter((url) => url === '')).toEqual([]);
    const env = { ...process.env, VITEST: '', HEALTH_PORT: '0', METRICS_PORT: '0', WEBHOOK_PORT: '0' };
    const command = [process.execPath, MAIN, 'run', '--kubeconfig', kubeconfig];
    const beside = await openTerminal(command, { cwd: project, env });
    await beside.shows('Waiting for the lease');
    expect(beside.screen()).toContain('Waiting to register webhooks');
    expect(await registered()).toEqual(before);
    beside.type(CTRL_C);
    expect(await beside.exited, beside.screen()).toBe(0);
    expect(await registered()).toEqual(before);
    expect(await kubectl('get fruits.v2.food.example.com apple -o=jsonpath={.spec.text}')).toBe('crisp');
    await kubectl('delete mutatingwebhookconfiguration fruits');
    await eventually(async () => `${await registered()}` === `${before}`);
  });

  test('a second one in the same folder says who runs there', TIMEOUT, async () => {
    const second = await openTerminal([process.execPath, MAIN, 'dev', '--port', '0'], { cwd: project });
    expect(await second.exited).toBe(1);
    expect(second.screen()).toMatch(/pintle dev or pintle up already runs here as process \d+\. Stop it first/);
    expect(second.screen()).not.toContain('--data');
  });

  test('a type error in a test keeps nobody from generating manifests', TIMEOUT, async () => {
    const wrong = ['wrong.test.ts', 'wrong.explore.ts'].map((name) => join(project, 'src', 'fruit', name));
    for (const file of wrong) writeFileSync(file, "export const wrong: number = 'a text';\n");
    expect(await pintle(project, 'generate manifests')).toContain('manifests');
    await expect(pintle(project, 'explore')).rejects.toThrow(/wrong\.explore\.ts\(1,14\): error TS2322/);
    for (const file of wrong) rmSync(file);
  });

  test('an exploration that does not exist is refused by its name', TIMEOUT, async () => {
    await expect(pintle(project, 'explore src/fruit/frut.explore.ts')).rejects.toThrow(
      'Cannot explore src/fruit/frut.explore.ts: there is no such file in the project',
    );
  });

  test('people read words, and where to look', () => {
    const screen = dev!.screen();
    expect(screen).not.toMatch(/^\{"/m);
    expect(screen.match(/^Operator started.*$/m)?.[0]).toMatch(/^Operator started \(\d+ ms\)$/);
    expect(screen).toMatch(/Serving .*health=\d+/);
    expect(screen).toMatch(/Serving .*metrics=\d+/);
    expect(screen).toMatch(/Serving .*webhooks=\d+/);
  });
});

describe('when it ends', () => {
  test('Ctrl-C stops everything in order, and the next one works at once', TIMEOUT, async () => {
    const children = descendantsOf(dev!.pid);
    expect(children.length).toBeGreaterThan(1);
    dev!.type(CTRL_C);
    expect(await dev!.exited).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    const screen = dev!.screen();
    expect(screen.lastIndexOf('Stopped leading'), screen).toBeGreaterThan(screen.lastIndexOf('Became the leader'));
    dev = await startDev('--verbose');
    expect(dev.screen()).not.toContain('Waiting for the lease');
    await dev.shows(/DEBUG Reconciled .*controller=fruit .*name=apple/);
  });

  test('killed, it leaves no process behind', TIMEOUT, async () => {
    const children = descendantsOf(dev!.pid);
    expect(children.length).toBeGreaterThan(1);
    process.kill(dev!.pid, 'SIGKILL');
    await dev!.exited;
    await eventually(async () => !children.some(isAlive));
    dev = await startDev();
    expect(dev.screen()).not.toContain('Waiting for the lease');
  });

  test(
    'where another project has the usual port, a free one is taken; ports that are said are kept',
    TIMEOUT,
    async () => {
      dev!.type(CTRL_C);
      await dev!.exited;
      const metrics = await freePort();
      const other = createServer();
      // Somebody else on this machine may have it just as well.
      await new Promise<void>((resolve) => other.once('error', () => resolve()).listen(6443, resolve));
      try {
        dev = await openDev([], { METRICS_PORT: `${metrics}` });
        expect(dev.screen()).toContain('Port 6443 is taken');
        expect(dev.screen()).toContain(`metrics=${metrics}`);
        const consoleOf = () => /Console: (\S+?)(?:[?#]\S*)?$/m.exec(dev!.screen())?.[1];
        const page = consoleOf();
        expect(page).toMatch(/^https?:/);
        dev.type(CTRL_C);
        await dev.exited;
        dev = await openDev([], { METRICS_PORT: `${metrics}` });
        expect(consoleOf()).toBe(page);
      } finally {
        await new Promise((resolve) => other.close(resolve));
      }
    },
  );
});

/** The same versions, of which the other is stored. */
const STORED_AS_V2 = TWO_VERSIONS.replace("storage: 'v1'", "storage: 'v2'").replace(
  / {4}v2: \{\n {6}toHub[\s\S]*?\n {4}\},\n/,
  `    v1: {
      toHub: ({ spec: { message, ...spec }, status }) => ({ spec: { ...spec, text: message }, ...(status && { status }) }),
      fromHub: ({ spec: { text, ...spec }, status }) => ({ spec: { ...spec, message: text }, ...(status && { status }) }),
    },
`,
);

async function startDev(...args: string[]): Promise<Terminal> {
  return await openDev(['--port', '0', ...args]);
}

async function openDev(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Terminal> {
  const env = { ...process.env, VITEST: '', KUBECONFIG: '/nowhere', ...more };
  const terminal = await openTerminal([process.execPath, MAIN, 'dev', ...args], { cwd: project, env });
  await terminal.shows('Became the leader');
  return terminal;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilSeen(text: string): Promise<void> {
  await waitFor(client, Fruit, apple, (fruit) => fruit?.status?.seen === text, { timeoutMs: 60_000 });
}

async function untilDefined(
  isDone: (definition: CustomResourceDefinition) => boolean,
  name = 'fruits.food.example.com',
): Promise<void> {
  await waitFor(client, CustomResourceDefinition, { name }, (found) => found !== undefined && isDone(found), {
    timeoutMs: 60_000,
  });
}

/** Looks until it is so. */
async function eventually(look: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await look().catch(() => false)) return;
    await realClock.sleep(100);
  }
}
