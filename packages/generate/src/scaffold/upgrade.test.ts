import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { LAYOUT, type Project, readProject } from '../project/project.ts';
import { initProject } from './init.ts';
import { scaffoldFiles } from './scaffold-files.ts';
import { type UpgradeOptions, upgradeProject } from './upgrade.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-upgrade-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(parent, 'project-'));
});

const read = (path: string): string => readFileSync(join(directory, path), 'utf8');
const write = (path: string, text: string): void => writeFileSync(join(directory, path), text);
const NEW = { version: '0.2.0' };
const upgrade = (options: Partial<UpgradeOptions> = {}) => upgradeProject(directory, { ...NEW, ...options });
const outcomes = (options?: Partial<UpgradeOptions>): string[] =>
  upgrade(options)
    .files.filter(({ type }) => type !== 'same')
    .map(({ type, path }) => `${type} ${path}`);

/** A project as the first layout had it. */
function beginOld(): Project {
  initProject(directory, { name: 'fruits', domain: 'example.com', version: '0.1.0' });
  const { scaffold, ...project } = { ...readProject(directory), layout: 1 };
  for (const [path, text] of Object.entries(scaffoldFiles(project, { version: '0.1.0' }, 1))) write(path, text);
  write('pintle.json', JSON.stringify(project));
  return project;
}

describe('what an older pintle has scaffolded', () => {
  test('is what is scaffolded today, where nobody touched it', () => {
    beginOld();
    expect(outcomes()).toEqual([
      'edit .dockerignore',
      'edit Dockerfile',
      'edit README.md',
      'edit package.json',
      'edit src/main.ts',
      'edit pintle.json',
    ]);
    expect(read('README.md')).toContain('pintle upgrade');
    expect(JSON.parse(read('package.json')).devDependencies['@pintle/cli']).toBe('0.2.0');
    expect(readProject(directory)).toMatchObject({ layout: LAYOUT, scaffold: { version: '0.2.0' } });
    expect(outcomes()).toEqual([]);
  });

  test('gets what is new beside what people wrote', () => {
    beginOld();
    write('README.md', read('README.md').replace('An operator', 'Our operator'));
    write('Dockerfile', `# ours\n${read('Dockerfile')}`);
    expect(outcomes()).toContain('merge README.md');
    expect(read('README.md')).toMatch(/Our operator[\s\S]*pintle upgrade/);
    expect(read('Dockerfile')).toMatch(/^# ours/);
    const { files } = readProject(directory).scaffold!;
    expect(Object.keys(files)).toContain('tsconfig.json');
    expect(Object.keys(files)).not.toContain('Dockerfile');
    expect(outcomes()).toEqual([]);
  });

  test('is not taken for untouched because its line ends are those of another system', () => {
    beginOld();
    write('README.md', read('README.md').replaceAll('\n', '\r\n'));
    expect(outcomes()).toContain('edit README.md');
  });
});

describe('where people and the scaffold changed the same lines', () => {
  beforeEach(() => {
    beginOld();
    write('README.md', read('README.md').replace('# onto the cluster of your kubeconfig', '# carefully'));
  });

  test('both are shown, the file stays, and so does the question', () => {
    const before = read('README.md');
    const { files, isDone } = upgrade();
    expect(isDone).toBe(false);
    expect(files.find(({ path }) => path === 'README.md')?.text).toMatch(/<<<<<<< yours\n[^=]*carefully/);
    expect(read('README.md')).toBe(before);
    expect(outcomes()).toEqual(['conflict README.md']);
  });

  test.each([
    ['mark', /<<<<<<< yours[\s\S]*>>>>>>> scaffold/],
    ['mine', /carefully\n```/],
    ['scaffold', /of your kubeconfig\n.*pintle upgrade/],
  ] as const)('%s settles it', (conflicts, expected) => {
    expect(upgrade({ conflicts }).isDone).toBe(true);
    expect(read('README.md')).toMatch(expected);
    expect(outcomes()).toEqual([]);
  });
});

test('packages of pintle go together; ranges and places that people chose stay', () => {
  beginOld();
  const content = JSON.parse(read('package.json'));
  content.dependencies['@pintle/client'] = 'file:../client';
  content.dependencies['@pintle/operator'] = '^0.1.3';
  content.dependencies.express = '5.0.0';
  content.devDependencies.vitest = '4.1.0';
  delete content.scripts.deploy;
  write('package.json', JSON.stringify(content, null, 4));
  upgrade();
  expect(JSON.parse(read('package.json'))).toMatchObject({
    dependencies: { '@pintle/client': 'file:../client', '@pintle/operator': '0.2.0', express: '5.0.0' },
    devDependencies: { vitest: '4.1.0', '@pintle/testing': '0.2.0' },
  });
  expect(read('package.json')).not.toContain('deploy');
  expect(read('package.json')).toContain('\n    "name"');
});

describe('packages that are files in the project', () => {
  /** A folder as `npm run pack` leaves it. */
  function packed(version: string): { version: string; packageFolder: string } {
    const packageFolder = mkdtempSync(join(parent, 'packages-'));
    for (const name of ['client', 'cli']) writeFileSync(join(packageFolder, `pintle-${name}-${version}.tgz`), version);
    return { version, packageFolder };
  }
  const begin = () => initProject(directory, { name: 'fruits', domain: 'example.com', ...packed('0.1.0-build.a') });
  const specs = () => JSON.parse(read('package.json')) as Record<string, Record<string, string>>;

  test('are copied, and what is scaffolded names them', () => {
    begin();
    expect(readdirSync(join(directory, 'vendor'))).toEqual([
      'pintle-cli-0.1.0-build.a.tgz',
      'pintle-client-0.1.0-build.a.tgz',
    ]);
    expect(specs().devDependencies!['@pintle/cli']).toBe('file:vendor/pintle-cli-0.1.0-build.a.tgz');
    expect(read('Dockerfile')).toContain('COPY vendor ./vendor\n');
    expect(read('.dockerignore')).toContain('!vendor\n');
  });

  test('are exchanged by an upgrade from another folder', () => {
    begin();
    write('Dockerfile', `# ours\n${read('Dockerfile')}`);
    const newer = packed('0.1.0-build.b');
    expect(outcomes(newer)).toEqual([
      'edit package.json',
      'delete vendor/pintle-cli-0.1.0-build.a.tgz',
      'create vendor/pintle-cli-0.1.0-build.b.tgz',
      'delete vendor/pintle-client-0.1.0-build.a.tgz',
      'create vendor/pintle-client-0.1.0-build.b.tgz',
      'edit pintle.json',
    ]);
    expect(specs().dependencies!['@pintle/client']).toBe('file:vendor/pintle-client-0.1.0-build.b.tgz');
    expect(read('vendor/pintle-cli-0.1.0-build.b.tgz')).toBe('0.1.0-build.b');
    expect(outcomes(newer)).toEqual([]);
  });

  test('are gone once a registry has them', () => {
    begin();
    upgrade();
    expect(specs().dependencies!['@pintle/client']).toBe('0.2.0');
    expect(readdirSync(join(directory, 'vendor'))).toEqual([]);
    expect(read('Dockerfile')).not.toContain('vendor');
    expect(outcomes()).toEqual([]);
  });

  test('a folder without them is told before anything is written', () => {
    const nothing = { version: '0.1.0', packageFolder: mkdtempSync(join(parent, 'packages-')) };
    const begun = () => initProject(directory, { name: 'fruits', domain: 'example.com', ...nothing });
    expect(begun).toThrow('Cannot find packages of version 0.1.0 in ');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('code that uses former names of the API', () => {
  const OLD = `import { OWNER, type Tie, type Use } from '@pintle/operator';
import { Held } from './held.ts';

export const TIE: Tie = 'controller';
export function addWeb(manager: Manager, Use: string, coalesceMs: number, sharing = {}): object {
  manager.controller(Web).owns(ConfigMap, { isEveryOwner: true, sharing }).watches(Pod, map, { settleMs: coalesceMs });
  manager.reconcile(async (web, ctx) => void (await ctx.apply(ConfigMap, {}, { tie: TIE as Array<Tie>[0] })));
  return { OWNER, tie: [Held, OWNER.length] };
}
`;

  test('is edited where the names are meant, and nowhere else', () => {
    initProject(directory, { name: 'fruits', domain: 'example.com', ...NEW });
    write('src/web.ts', OLD);
    write('src/held.ts', "export class Held {\n  tie = 'settleMs';\n}\n");
    write('src/broken.ts', "import { Tie } from '@pintle/operator';\nexport const = ;\n");
    expect(() => upgrade({ check: true })).toThrow('src/web.ts');
    expect(outcomes()).toContain('edit src/web.ts');
    expect(
      read('src/web.ts'),
    ).toBe(`import { OWNER_ANNOTATION, type OwnerReferenceMode, type ResourceAccess as Use } from '@pintle/operator';
import { Held } from './held.ts';

export const TIE: OwnerReferenceMode = 'controller';
export function addWeb(manager: Manager, Use: string, coalesceMs: number, sharing = {}): object {
  manager.controller(Web).owns(ConfigMap, { matchEveryOwner: true, select: sharing }).watches(Pod, map, { coalesceMs: coalesceMs });
  manager.reconcile(async (web, ctx) => void (await ctx.apply(ConfigMap, {}, { ownerReference: TIE as Array<OwnerReferenceMode>[0] })));
  return { OWNER: OWNER_ANNOTATION, tie: [Held, OWNER_ANNOTATION.length] };
}
`);
    expect(outcomes()).toEqual([]);
  });

  test('keeps its own exports', () => {
    initProject(directory, { name: 'fruits', domain: 'example.com', ...NEW });
    write(
      'src/names.ts',
      "export { type Tie } from '@pintle/operator';\nimport { useOf } from '@pintle/operator';\nexport { useOf };\n",
    );
    upgrade();
    expect(read('src/names.ts')).toBe(
      "export { type OwnerReferenceMode as Tie } from '@pintle/operator';\nimport { accessOf as useOf } from '@pintle/operator';\nexport { useOf };\n",
    );
  });
});

test('asking whether, and what, writes nothing', () => {
  beginOld();
  const before = read('pintle.json');
  expect(() => upgrade({ check: true })).toThrow(
    '.dockerignore, Dockerfile, README.md, package.json, src/main.ts, pintle.json; run `pintle upgrade`',
  );
  expect(outcomes({ dryRun: true })).toContain('edit README.md');
  expect(read('pintle.json')).toBe(before);
});

test('what people change since is no reason to upgrade', () => {
  initProject(directory, { name: 'fruits', domain: 'example.com', ...NEW });
  write('Dockerfile', `# ours\n${read('Dockerfile')}`);
  expect(outcomes({ check: true })).toEqual([]);
});

test('a project of a newer pintle is not upgraded to an older one', () => {
  initProject(directory, { name: 'fruits', domain: 'example.com', version: '0.10.0' });
  expect(() => upgrade()).toThrow('written by pintle 0.10.0, and this is 0.2.0');
});

test('templates change with the layout: older-files.ts keeps what was', () => {
  const project = { name: 'fruits', domain: 'example.com', license: 'MIT', multigroup: false, resources: [] };
  const digest = createHash('sha256');
  for (const namespaced of [false, true]) {
    const files = scaffoldFiles({ ...project, layout: LAYOUT, namespaced }, { version: '0.1.0' });
    for (const path of Object.keys(files).sort()) digest.update(`${path}\n${files[path]}`);
  }
  expect({ layout: LAYOUT, digest: digest.digest('hex').slice(0, 16) }).toEqual({
    layout: 5,
    digest: '77e17dcff6380edc',
  });
});
