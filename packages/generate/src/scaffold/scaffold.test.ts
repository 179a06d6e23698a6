import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileChange, GenerateError } from '../errors.ts';
import { readProject } from '../project/project.ts';
import { createApi, createController, createWebhook } from './create-api.ts';
import { editProject } from './edit-project.ts';
import { initProject } from './init.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-scaffold-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(parent, 'project-'));
});

const init = (more: object = {}) =>
  initProject(directory, { name: 'fruits', domain: 'example.com', version: '1.2.3', ...more });
const FRUIT = { group: 'food', version: 'v1', kind: 'Fruit' };

function files(): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function read(path: string): string {
  return readFileSync(join(directory, path), 'utf8');
}

function changed(changes: readonly FileChange[]): string[] {
  return changes.filter(({ type }) => type !== 'same').map(({ path }) => path);
}

test('a project with a resource, a controller and webhooks has at most 15 files', () => {
  init();
  createApi(directory, FRUIT);
  createWebhook(directory, { kind: 'Fruit', webhooks: ['defaulting', 'validation'] });
  expect(files().length).toBeLessThanOrEqual(15);
  expect(read('src/operator.ts')).toContain('  addFruitController(manager);\n  addFruitWebhooks(manager);\n');
  expect(read('src/fruit/fruit.ts')).toContain("group: 'food.example.com'");
});

test('it writes down what it was asked for', () => {
  init({ namespaced: true });
  createApi(directory, { ...FRUIT, scope: 'Cluster' });
  createController(directory, { for: 'core/v1/Pod' });
  createController(directory, { for: 'core/v1/Node' });
  expect(readProject(directory)).toMatchObject({
    name: 'fruits',
    namespaced: true,
    resources: [
      { group: '', kind: 'Node', scope: 'Cluster' },
      { group: '', kind: 'Pod', isDefined: false, hasController: true },
      { group: 'food.example.com', kind: 'Fruit', scope: 'Cluster', isDefined: true },
    ],
  });
});

test('a sharded project shares the work among its replicas', () => {
  init({ sharded: true });
  expect(readProject(directory).sharded).toBe(true);
  expect(read('src/main.ts')).toContain("  sharding: 'fruits',\n");
  expect(read('src/main.ts')).not.toContain('leaderElection');
  expect(changed(init({ sharded: true }))).toEqual([]);
  expect(() => init()).toThrow('has one with other settings');
});

test('groups have folders of their own where they are told to', () => {
  init({ multigroup: true });
  expect(changed(createApi(directory, FRUIT))).toContain('src/food/fruit/fruit.ts');
});

describe('asked again', () => {
  test('it changes nothing', () => {
    init();
    expect(changed(init())).toEqual([]);
    createApi(directory, FRUIT);
    createWebhook(directory, { kind: 'Fruit', webhooks: ['validation'] });
    expect(changed(createApi(directory, FRUIT))).toEqual([]);
    expect(changed(createWebhook(directory, { kind: 'Fruit', webhooks: ['validation'] }))).toEqual([]);
  });

  test('for some of the webhooks there are, it keeps the others', () => {
    init();
    createApi(directory, FRUIT);
    createWebhook(directory, { kind: 'Fruit', webhooks: ['defaulting', 'validation'] });
    expect(changed(createWebhook(directory, { kind: 'Fruit', webhooks: ['defaulting'] }))).toEqual([]);
  });

  test('it leaves what was changed since as it is', () => {
    init();
    createApi(directory, FRUIT);
    writeFileSync(join(directory, 'src/fruit/fruit.ts'), '// mine\n');
    expect(changed(createApi(directory, FRUIT))).toEqual([]);
    expect(read('src/fruit/fruit.ts')).toBe('// mine\n');
  });
});

describe('a second version', () => {
  const V2 = { ...FRUIT, version: 'v2' };
  const flat = (text: string): string => text.replace(/\s+/g, ' ');

  test('begins as a copy of what was said of the first, which stays the one that is stored', () => {
    init();
    createApi(directory, { ...FRUIT, scope: 'Cluster' });
    expect(changed(createApi(directory, V2))).toEqual(['pintle.json', 'src/fruit/fruit.ts']);
    const text = flat(read('src/fruit/fruit.ts'));
    expect(text).toMatch(/kind: 'Fruit', scope: 'Cluster', versions: \{ v1: \{ spec: .* \}, v2: \{ spec: /);
    expect(text).toContain("}, storage: 'v1', }); export type Fruit");
    expect(text).not.toContain('version:');
    expect(text.match(/Message that the controller/g)).toHaveLength(2);
    expect(readProject(directory).resources).toMatchObject([
      { version: 'v1', scope: 'Cluster', hasController: true },
      { version: 'v2', scope: 'Cluster', hasController: true },
    ]);
    expect(changed(createApi(directory, V2))).toEqual([]);
    createApi(directory, { ...FRUIT, version: 'v3' });
    expect(flat(read('src/fruit/fruit.ts'))).toMatch(/v1: \{ .* v2: \{ .* v3: \{ spec: .* storage: 'v1', \}\);/);
  });

  test.each([
    ['before', ['conversion', 'v2', 'v3']],
    ['after', ['v2', 'conversion', 'v3']],
  ])('is converted where that was asked for %s', (_, steps) => {
    init();
    createApi(directory, FRUIT);
    for (const step of steps)
      if (step === 'conversion') createWebhook(directory, { kind: 'Fruit', webhooks: ['conversion'] });
      else createApi(directory, { ...FRUIT, version: step });
    const text = flat(read('src/fruit/fruit.ts'));
    expect(text).toMatch(/storage: 'v1', conversions: \{ v2: \{ toHub: .* fromHub: .* v3: \{ toHub: .* \}, \}, \}\);/);
    expect(changed(createWebhook(directory, { kind: 'Fruit', webhooks: ['conversion'] }))).toEqual([]);
  });

  test('is left to people where they wrote what cannot be moved', () => {
    init();
    createApi(directory, FRUIT);
    const path = join(directory, 'src/fruit/fruit.ts');
    writeFileSync(path, read('src/fruit/fruit.ts').replace("'hello'", '`two\nlines`'));
    expect(() => createApi(directory, V2)).toThrow('texts of several lines');
    writeFileSync(path, 'export const Fruit = made();\n');
    expect(() => createApi(directory, V2)).toThrow("it has no `defineResource({ kind: 'Fruit', … })`");
  });
});

test('webhooks are not said to be created where a file of another has their place', () => {
  init();
  createApi(directory, FRUIT);
  const before = read('pintle.json');
  const mine = 'manager.webhooks\n  .for(Fruit)\n  .default(() => {})\n  .validate({});\n';
  writeFileSync(join(directory, 'src/fruit/fruit-webhooks.ts'), mine);
  expect(() => createWebhook(directory, { kind: 'Fruit', webhooks: ['defaulting', 'validation'] })).toThrow(
    'src/fruit/fruit-webhooks.ts',
  );
  expect(read('src/fruit/fruit-webhooks.ts')).toBe(mine);
  expect(read('pintle.json')).toBe(before);
});

test('webhooks are added to those that are there, with their tests', () => {
  init();
  createApi(directory, FRUIT);
  createWebhook(directory, { kind: 'Fruit', webhooks: ['defaulting'] });
  createWebhook(directory, { kind: 'Fruit', webhooks: ['validation'] });
  const text = read('src/fruit/fruit-webhooks.ts');
  expect(text).toMatch(/\.for\(Fruit\)\n {4}\.default\([\s\S]*\n {4}\.validate\(\{[\s\S]*\}\);\n\}\n$/);
  expect(text).toContain("import { invalid } from '@pintle/machinery/errors';");
  expect(read('src/fruit/fruit-webhooks.test.ts').match(/^test\(/gm)).toHaveLength(2);
  expect(readProject(directory).resources[0]!.webhooks).toEqual(['defaulting', 'validation']);
});

describe('it refuses', () => {
  const failure = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return (error as GenerateError).failure;
    }
    return undefined;
  };

  test('to overwrite work, and then writes nothing at all', () => {
    init();
    const before = files().length;
    createApi(directory, { ...FRUIT, controller: false });
    writeFileSync(join(directory, 'src/fruit/fruit-controller.ts'), '// mine\n');
    expect(failure(() => createApi(directory, FRUIT))).toMatchObject({ code: 'Exists' });
    expect(files().length).toBe(before + 2);
  });

  test('to take the folder of the same kind of another group, and names the setting that parts them', () => {
    init();
    createApi(directory, FRUIT);
    expect(() => createApi(directory, { ...FRUIT, group: 'other' })).toThrow(
      /src\/fruit\/fruit\.ts would be overwritten\. Nothing was changed\. .*`pintle edit --multigroup`/,
    );
    editProject(directory, { multigroup: true });
    expect(changed(createApi(directory, { ...FRUIT, group: 'other' }))).toContain('src/other/fruit/fruit.ts');
    createWebhook(directory, { kind: 'Fruit', group: 'other.example.com', webhooks: ['defaulting'] });
    const [operator, controller] = ['operator.ts', 'other/fruit/fruit-controller.ts'].map((path) =>
      readFileSync(join(directory, 'src', path), 'utf8'),
    );
    expect(operator).toContain("import { addFruitController as addOtherFruitController } from './other/fruit/");
    expect(operator).toMatch(/ {2}addFruitController\(manager\);\n {2}addOtherFruitController\(manager\);/);
    expect(operator).toContain('  addOtherFruitWebhooks(manager);');
    expect(controller).toContain("manager.controller(Fruit, 'fruit-other')");
  });

  test('to take a resource that is there for one of another scope', () => {
    init();
    createApi(directory, FRUIT);
    expect(() => createApi(directory, { ...FRUIT, scope: 'Cluster' })).toThrow('it has Fruit with scope Namespaced');
    expect(changed(createApi(directory, { ...FRUIT, scope: 'Namespaced' }))).toEqual([]);
  });

  test('to control a resource that no module defines', () => {
    init();
    expect(() => createApi(directory, { ...FRUIT, resource: false })).toThrow('src/fruit/fruit.ts must define it');
  });

  test('a folder that is no project, and a project file that is none', () => {
    expect(failure(() => createApi(directory, FRUIT))).toMatchObject({ code: 'NotAProject' });
    writeFileSync(join(directory, 'pintle.json'), '{"layout":99,"resources":[]}');
    expect(failure(() => createApi(directory, FRUIT))).toMatchObject({ code: 'BadProjectFile' });
  });

  test.each([
    ['core/v1/Foo', 'Kubernetes has no such kind'],
    ['apps/v1beta1/Deployment', 'did you mean apps/v1/Deployment?'],
    ['v1/Pod', 'a kind looks like core/v1/Pod'],
  ])('to control %s', (kind, why) => {
    init();
    expect(() => createController(directory, { for: kind })).toThrow(why);
  });

  test.each([
    [{ ...FRUIT, kind: 'fruit' }],
    [{ ...FRUIT, kind: 'A"; rm' }],
    [{ ...FRUIT, version: '1' }],
    [{ ...FRUIT, group: '../x' }],
  ])('%j', (options) => {
    init();
    expect(failure(() => createApi(directory, options))).toMatchObject({ code: 'BadName' });
  });

  test('all names of an API together', () => {
    init();
    const options = { group: 'Food', version: '1', kind: 'fruit' };
    expect(failure(() => createApi(directory, options))).toMatchObject({
      code: 'BadNames',
      names: [{ name: 'Food' }, { name: '1' }, { name: 'fruit' }],
    });
    expect(() => createApi(directory, options)).toThrow(
      /"Food" as a group: .*\n.*"1" as a version: .*\n.*"fruit" as a kind: /,
    );
  });
});

test('a webhook of an unknown kind names the kinds that there are', () => {
  init();
  const webhook = () => createWebhook(directory, { kind: 'fruit', webhooks: ['validation'] });
  expect(webhook).toThrow('the project defines no kind; `pintle create api` defines another');
  createApi(directory, FRUIT);
  expect(webhook).toThrow('the project defines Fruit; `pintle create api` defines another');
  expect(() => createWebhook(directory, { kind: 'Pod', webhooks: ['validation'] })).toThrow(
    'the project defines Fruit; add webhooks of a built-in kind in src/operator.ts, with `manager.webhooks.for(Pod)`',
  );
});
