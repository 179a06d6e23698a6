import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appEntries, packageEntries } from './app-files.ts';
import type { Descriptor } from './blob-folder.ts';
import type { LayoutOptions, WrittenImage } from './oci-layout.ts';
import { writeLayout } from './oci-layout.ts';
import { productionPackages } from './production-packages.ts';
import { tarChunks } from './tar-writer.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-image-'));
const project = join(parent, 'project');
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const PLATFORM = { os: 'linux', architecture: 'amd64' };

function put(path: string, content: string | object): void {
  mkdirSync(dirname(join(parent, path)), { recursive: true });
  writeFileSync(join(parent, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function putPackage(path: string, version: string, more: object = {}): void {
  const name = path.replace(/.*node_modules\//, '');
  put(`${path}/package.json`, { name, version, main: 'index.js', ...more });
  const needed = Object.keys({ ...(more as { dependencies?: object }).dependencies });
  const inner = needed.map((each) => `\${require('${each}')}`).join(' ');
  put(`${path}/index.js`, `module.exports = \`${name}@${version}(${inner})\`;`);
  put(`${path}/index.d.ts`, 'export {};');
}

/** Two packages want different ones of a third; one is a link into a workspace; one is for other machines. */
beforeAll(() => {
  put('project/package.json', {
    name: 'project',
    dependencies: { a: '1', b: '1', '@scope/linked': '1' },
    optionalDependencies: { absent: '1', elsewhere: '1' },
    devDependencies: { dev: '1' },
  });
  put(
    'project/build/main.js',
    "const all = ['a', 'b', '@scope/linked'].map((name) => require(name));\nconsole.log(all.join(' '));\n",
  );
  put('project/build/main.test.js', 'throw new Error();');
  put('project/build/main.explore.js', 'throw new Error();');
  putPackage('project/node_modules/a', '1', { dependencies: { c: '1' } });
  putPackage('project/node_modules/b', '1', { dependencies: { c: '2' }, peerDependencies: { a: '1' } });
  putPackage('project/node_modules/c', '1');
  putPackage('project/node_modules/b/node_modules/c', '2');
  putPackage('project/node_modules/dev', '1');
  putPackage('project/node_modules/elsewhere', '1', { os: ['win32'] });
  putPackage('workspace/linked', '1', { name: '@scope/linked', files: ['index.js'], dependencies: { above: '1' } });
  put('workspace/linked/src/index.ts', 'source');
  putPackage('node_modules/above', '1');
  mkdirSync(join(project, 'node_modules/@scope'), { recursive: true });
  symlinkSync(join(parent, 'workspace/linked'), join(project, 'node_modules/@scope/linked'));
});

async function write(to: string, more: Partial<LayoutOptions> = {}): Promise<WrittenImage> {
  return await writeLayout({
    to: join(parent, to),
    tag: 'fruits:1.0',
    platform: PLATFORM,
    layers: [
      { about: 'packages', entries: packageEntries(productionPackages(project, PLATFORM)) },
      { about: 'app', entries: appEntries(project, join(project, 'build')) },
    ],
    run: {
      entrypoint: ['node', 'dist/main.js'],
      workingDir: '/app',
      user: '65532:65532',
      env: { NODE_ENV: 'production' },
    },
    ...more,
  });
}

/** The blob, which is what its descriptor says. */
function blob(layout: string, { digest, size }: Descriptor): Buffer {
  const bytes = readFileSync(join(layout, 'blobs', ...digest.split(':')));
  expect({ digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length }).toEqual({
    digest,
    size,
  });
  return bytes;
}

const json = <T>(bytes: Buffer): T => JSON.parse(bytes.toString('utf8')) as T;

interface Read {
  readonly config: { rootfs: { diff_ids: string[] }; config: Record<string, unknown>; history: object[] };
  readonly layers: readonly Descriptor[];
}

/** Follows a layout from its index to its layers, and checks every digest, size and media type on the way. */
function read(layout: string): Read {
  expect(json(readFileSync(join(layout, 'oci-layout')))).toEqual({ imageLayoutVersion: '1.0.0' });
  const index = json<{ schemaVersion: number; manifests: Descriptor[] }>(readFileSync(join(layout, 'index.json')));
  expect(index).toMatchObject({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json' });
  const [first] = index.manifests;
  expect(first).toMatchObject({
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    platform: PLATFORM,
    annotations: { 'org.opencontainers.image.ref.name': '1.0' },
  });
  const manifest = json<{ config: Descriptor; layers: Descriptor[] }>(blob(layout, first!));
  expect(manifest).toMatchObject({
    schemaVersion: 2,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json' },
  });
  const config = json<Read['config']>(blob(layout, manifest.config));
  expect(config.rootfs.diff_ids).toHaveLength(manifest.layers.length);
  expect(config.history).toHaveLength(manifest.layers.length);
  manifest.layers.forEach((layer, at) => {
    const bytes = blob(layout, layer);
    const plain = layer.mediaType.endsWith('+gzip') ? gunzipSync(bytes) : bytes;
    expect(`sha256:${createHash('sha256').update(plain).digest('hex')}`).toBe(config.rootfs.diff_ids[at]);
  });
  return { config, layers: manifest.layers };
}

function unpack(layout: string, layers: readonly Descriptor[]): string {
  const root = mkdtempSync(join(parent, 'root-'));
  for (const { digest } of layers)
    execFileSync('tar', ['-xf', join(layout, 'blobs', ...digest.split(':')), '-C', root]);
  return root;
}

test('a layout is what the specification says, and what is in it runs when it is unpacked', async () => {
  await write('one');
  const layout = join(parent, 'one');
  const { config, layers } = read(layout);
  expect(config.config).toMatchObject({
    Entrypoint: ['node', 'dist/main.js'],
    WorkingDir: '/app',
    User: '65532:65532',
  });
  const app = join(unpack(layout, layers), 'app');
  expect(execFileSync(process.execPath, ['dist/main.js'], { cwd: app, encoding: 'utf8' })).toBe(
    'a@1(c@1()) b@1(c@2()) workspace/linked@1(above@1())\n',
  );
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => /dev|elsewhere|\.d\.ts|\.test\.|src|build/.test(path))).toEqual([]);
});

test('the same sources give the same digest, whenever they were written and whatever was there before', async () => {
  const { digest } = await write('one');
  utimesSync(join(project, 'build/main.js'), 1, 1);
  put('one/blobs/sha256/old', 'left from before');
  expect((await write('one')).digest).toBe(digest);
  expect(readdirSync(join(parent, 'one/blobs/sha256'))).not.toContain('old');
  const archives = ['a.tar', 'b.tar'];
  for (const name of archives) expect((await write(name)).digest).toBe(digest);
  const [a, b] = archives.map((name) => readFileSync(join(parent, name)));
  expect(a!.equals(b!)).toBe(true);
});

const BASE: Partial<LayoutOptions> = {
  layers: [
    {
      about: 'system',
      entries: [{ type: 'file', path: 'etc/os', isExecutable: false, read: () => Buffer.from('some') }],
    },
  ],
  run: { entrypoint: ['sh'], workingDir: '/', user: '0', env: { PATH: '/opt/node/bin', NODE_ENV: 'none' } },
};

test.each(['base', 'base.tar'])('an image stands on another, in %s', async (name) => {
  await write(name, BASE);
  await write('on-top', { base: join(parent, name) });
  const layout = join(parent, 'on-top');
  const { config, layers } = read(layout);
  expect(layers).toHaveLength(3);
  expect(config.config).toMatchObject({
    Env: ['PATH=/opt/node/bin', 'NODE_ENV=production'],
    Entrypoint: ['node', 'dist/main.js'],
  });
  expect(readFileSync(join(unpack(layout, layers), 'etc/os'), 'utf8')).toBe('some');
});

/** As docker wrote it before it knew layouts. */
function saved(architecture: string): string {
  const layer = Buffer.concat([...tarChunks(BASE.layers![0]!.entries)]);
  const diffId = `sha256:${createHash('sha256').update(layer).digest('hex')}`;
  const config = {
    os: 'linux',
    architecture,
    config: {},
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{}],
  };
  const files = {
    'manifest.json': Buffer.from(JSON.stringify([{ Config: 'c.json', RepoTags: ['x:1'], Layers: ['l/layer.tar'] }])),
    'c.json': Buffer.from(JSON.stringify(config)),
    'l/layer.tar': layer,
  };
  const entries = Object.entries(files).map(
    ([path, bytes]) => ({ type: 'file', path, isExecutable: false, read: () => bytes }) as const,
  );
  const path = join(parent, `saved-${architecture}.tar`);
  writeFileSync(path, Buffer.concat([...tarChunks(entries)]));
  return path;
}

test('an image stands on what docker save wrote', async () => {
  await write('on-saved', { base: saved('amd64') });
  const { layers } = read(join(parent, 'on-saved'));
  expect(layers.map(({ mediaType }) => mediaType)).toEqual([
    'application/vnd.oci.image.layer.v1.tar',
    'application/vnd.oci.image.layer.v1.tar+gzip',
    'application/vnd.oci.image.layer.v1.tar+gzip',
  ]);
});

test('a base that is for other machines, is damaged or is none at all is refused', async () => {
  await expect(write('no', { base: saved('arm64') })).rejects.toThrow('it is for linux/arm64, not linux/amd64');
  await expect(write('no', { base: project })).rejects.toThrow('neither an OCI image layout nor output of docker save');
  await write('bad', BASE);
  const { layers } = read(join(parent, 'bad'));
  writeFileSync(join(parent, 'bad/blobs', ...layers[0]!.digest.split(':')), 'else');
  await expect(write('no', { base: join(parent, 'bad') })).rejects.toThrow('is damaged');
});

test('what is not installed is told', () => {
  put('empty/package.json', { dependencies: { nowhere: '1' } });
  expect(() => productionPackages(join(parent, 'empty'), PLATFORM)).toThrow(
    'nowhere is not installed; run npm install',
  );
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['an index that is null', { 'index.json': null }],
  ['an index without a list', { 'index.json': { manifests: {} } }],
  ['an entry without a digest', { 'index.json': { manifests: [{ platform: PLATFORM }] } }],
  ['a saved image that is null', { 'manifest.json': [null] }],
  ['saved images that are no list', { 'manifest.json': {} }],
  ['saved layers that are no list', { 'manifest.json': [{ Config: 'config.json', Layers: 5 }] }],
  ['a configuration outside of it', { 'manifest.json': [{ Config: '../project/package.json', Layers: [] }] }],
  ['a configuration that is a folder', { 'manifest.json': [{ Config: '.', Layers: [] }] }],
])('a base with %s is refused', async (_what, files) => {
  rmSync(join(parent, 'hostile'), { recursive: true, force: true });
  for (const [name, content] of Object.entries(files)) put(`hostile/${name}`, JSON.stringify(content));
  await expect(write('no', { base: join(parent, 'hostile') })).rejects.toMatchObject({ name: 'UsageError' });
});
