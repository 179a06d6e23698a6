import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileChange } from '../errors.ts';
import { readProject } from '../project/project.ts';
import { createApi, createController } from './create-api.ts';
import { editProject } from './edit-project.ts';
import { initProject } from './init.ts';
import { upgradeProject } from './upgrade.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-edit-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(parent, 'project-'));
  initProject(directory, { name: 'fruits', domain: 'example.com', version: '1.2.3' });
});

const read = (path: string): string => readFileSync(join(directory, path), 'utf8');
function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}
const changed = (changes: readonly FileChange[]): string[] =>
  changes.filter(({ type }) => type !== 'same').map(({ type, path }) => `${type} ${path}`);

describe('an operator of one namespace', () => {
  test('and of all again is the file it was', () => {
    const before = read('src/main.ts');
    expect(changed(editProject(directory, { namespaced: true }))).toEqual(['edit pintle.json', 'edit src/main.ts']);
    expect(read('src/main.ts')).toContain("  namespaces: [POD_NAMESPACE ?? 'default'],\n");
    expect(changed(editProject(directory, { namespaced: true }))).toEqual([]);
    editProject(directory, { namespaced: false });
    expect(read('src/main.ts')).toBe(before);
    expect(upgradeProject(directory, { version: '1.2.3', check: true }).isDone).toBe(true);
  });

  test('is told in a file that people have changed, beside their changes', () => {
    const before = `// mine\n${read('src/main.ts')}`;
    write('src/main.ts', before);
    editProject(directory, { namespaced: true });
    expect(read('src/main.ts')).toMatch(
      /^\/\/ mine\n[\s\S]*leaderElection: 'fruits',\n {2}namespaces: \[POD_NAMESPACE/,
    );
    editProject(directory, { namespaced: false });
    expect(read('src/main.ts')).toBe(before);
  });

  test('is not made of one whose namespaces people chose', () => {
    editProject(directory, { namespaced: true });
    write('src/main.ts', read('src/main.ts').replace("[POD_NAMESPACE ?? 'default']", "['a', 'b']"));
    expect(() => editProject(directory, { namespaced: false })).toThrow('its `namespaces` were changed');
    expect(readProject(directory).namespaced).toBe(true);
  });
});

describe('an operator whose replicas share the work', () => {
  test('and one that elects a leader again is the file it was', () => {
    const before = read('src/main.ts');
    expect(changed(editProject(directory, { sharded: true }))).toEqual(['edit pintle.json', 'edit src/main.ts']);
    expect(read('src/main.ts')).toContain("  sharding: 'fruits',\n");
    expect(changed(editProject(directory, { sharded: true }))).toEqual([]);
    editProject(directory, { namespaced: true });
    expect(read('src/main.ts')).toContain("  sharding: 'fruits',\n  namespaces: [POD_NAMESPACE ?? 'default'],\n");
    editProject(directory, { sharded: false, namespaced: false });
    expect(read('src/main.ts')).toBe(before);
    expect(readProject(directory).sharded).toBeUndefined();
    expect(upgradeProject(directory, { version: '1.2.3', check: true }).isDone).toBe(true);
  });

  test('is told in a file that people have changed, beside their changes', () => {
    const before = `// mine\n${read('src/main.ts')}`;
    write('src/main.ts', before);
    editProject(directory, { sharded: true, namespaced: true });
    expect(read('src/main.ts')).toMatch(/^\/\/ mine\n[\s\S]*sharding: 'fruits',\n {2}namespaces: \[POD_NAMESPACE/);
    editProject(directory, { sharded: false, namespaced: false });
    expect(read('src/main.ts')).toBe(before);
  });

  test('is not made of one that elects nobody', () => {
    write('src/main.ts', read('src/main.ts').replace(/ {2}leaderElection: .*\n/, ''));
    expect(() => editProject(directory, { sharded: true })).toThrow('its manager has no `leaderElection`');
    expect(readProject(directory).sharded).toBeUndefined();
  });
});

describe('other names', () => {
  test('are written where the old one stood', () => {
    write('src/main.ts', `// mine\n${read('src/main.ts')}`);
    editProject(directory, { name: 'vegetables', license: 'MIT' });
    expect(JSON.parse(read('package.json'))).toMatchObject({ name: 'vegetables', license: 'MIT' });
    expect(read('src/main.ts')).toContain("leaderElection: 'vegetables'");
    expect(read('src/main.ts')).toContain("name: 'vegetables-webhooks'");
    expect(read('src/main.ts')).not.toContain('fruits');
    expect(read('README.md')).toContain('# vegetables');
  });

  test('of domains are for what comes next', () => {
    createApi(directory, { group: 'food', version: 'v1', kind: 'Fruit' });
    expect(changed(editProject(directory, { domain: 'example.org' }))).toEqual(['edit pintle.json']);
    createApi(directory, { group: 'food', version: 'v1', kind: 'Leek' });
    expect(readProject(directory).resources.map(({ group }) => group)).toEqual([
      'food.example.com',
      'food.example.org',
    ]);
  });

  test.each([[{ name: 'Not Good' }], [{ domain: 'x_y' }], [{ license: '"; rm' }]])(
    'such as %j are refused',
    (options) => {
      expect(() => editProject(directory, options)).toThrow('Cannot use');
    },
  );
});

describe('folders by group', () => {
  const MINE =
    "import { Fruit } from '../fruit/fruit.ts';\nexport * from './other.ts';\nvoid import('../fruit/fruit.ts');\n";

  beforeEach(() => {
    createApi(directory, { group: 'food', version: 'v1', kind: 'Fruit' });
    createController(directory, { for: 'core/v1/Pod' });
    write('src/lib/mine.ts', MINE);
    write('src/fruit/seeds.ts', "import { mine } from '../lib/mine.ts';\nimport './fruit.ts';\n");
    write('src/fruit/picture.png', 'not text');
  });

  test('take what there is along, and every import finds it', () => {
    const moved = changed(editProject(directory, { multigroup: true }));
    expect(moved).toContain('move src/food/fruit/picture.png');
    expect(existsSync(join(directory, 'src/fruit'))).toBe(false);
    expect(read('src/operator.ts')).toContain("from './food/fruit/fruit-controller.ts'");
    expect(read('src/operator.ts')).toContain("from './core/pod/pod-controller.ts'");
    expect(read('src/lib/mine.ts')).toBe(MINE.replaceAll('../fruit/', '../food/fruit/'));
    expect(read('src/food/fruit/seeds.ts')).toBe("import { mine } from '../../lib/mine.ts';\nimport './fruit.ts';\n");
    expect(changed(editProject(directory, { multigroup: true }))).toEqual([]);
    expect(changed(createApi(directory, { group: 'food', version: 'v1', kind: 'Fruit' }))).toEqual([]);
    editProject(directory, { multigroup: false });
    expect(read('src/lib/mine.ts')).toBe(MINE);
  });

  test('and nothing is moved when something is in the way', () => {
    write('src/food/fruit/fruit.ts', '// mine\n');
    expect(() => editProject(directory, { multigroup: true })).toThrow('src/food/fruit/fruit.ts would be overwritten');
    expect(existsSync(join(directory, 'src/fruit/fruit.ts'))).toBe(true);
    expect(readProject(directory).multigroup).toBe(false);
  });

  test('are only talked about in a dry run', () => {
    expect(changed(editProject(directory, { multigroup: true, dryRun: true }))).toContain(
      'move src/food/fruit/fruit.ts',
    );
    expect(readProject(directory).multigroup).toBe(false);
  });
});
