import { rmSync, statSync } from 'node:fs';
import { arch } from 'node:os';
import { join, resolve } from 'node:path';
import { compileProject, readProject } from '@pintle/generate';
import { table } from '@pintle/machinery/table';
import { APP, appEntries, packageEntries } from '../image/app-files.ts';
import { nameOf } from '../image/base-image.ts';
import type { Platform } from '../image/blob-folder.ts';
import { buildWith, ENGINES, type Engine, findEngine } from '../image/engine.ts';
import { type WrittenImage, writeLayout } from '../image/oci-layout.ts';
import { productionPackages } from '../image/production-packages.ts';
import { UsageError } from '../usage-error.ts';
import { PINTLE } from './version.ts';

interface BuildFlags {
  /** Default: the image of the project's settings, or NAME:latest. */
  readonly tag?: string;
  /** Default: Linux on this machine's processor. */
  readonly platform?: string;
  readonly engine?: Engine | 'none';
  /** A folder, or a file that ends with `.tar`. Default where there is no engine: .pintle/image. */
  readonly layout?: string;
  readonly base?: string;
  readonly output?: 'text' | 'json';
}

interface Built extends Partial<WrittenImage> {
  readonly tag: string;
  readonly platform: string;
  readonly engine?: Engine;
  readonly layout?: string;
}

/** `pintle build`: by an engine that answers, else as an OCI image layout that is written without one. */
export async function build(flags: BuildFlags): Promise<void> {
  const directory = process.cwd();
  const { name, deployment } = readProject(directory);
  const tag = checkedTag(flags.tag ?? deployment?.image ?? `${name}:latest`);
  const platform = readPlatform(flags.platform ?? `linux/${arch()}`);
  const engine = chooseEngine(flags);
  const isQuiet = flags.output === 'json';
  if (engine !== undefined) {
    await buildWith(engine, { directory, tag, isQuiet, ...(flags.platform && { platform: nameOf(platform) }) });
    return show({ tag, platform: nameOf(platform), engine }, flags);
  }
  const layout = flags.layout ?? '.pintle/image';
  const written = await layOut(directory, {
    tag,
    platform,
    to: resolve(layout),
    ...(flags.base && { base: flags.base }),
  });
  show({ tag, platform: nameOf(platform), layout, ...written }, flags);
  if (isWithoutRuntime(flags))
    throw new UsageError(
      `Cannot build an image that runs: ${ENGINES.join(', ')} were tried, and none answers. Start one, or say --base; ` +
        '--engine none writes an image without Node on purpose',
    );
}

/** Nobody asked for an image that lacks Node: it was written because no engine answers. */
function isWithoutRuntime({ engine, layout, base }: BuildFlags): boolean {
  return engine === undefined && layout === undefined && base === undefined;
}

/** Whoever names a place for the layout, or a base for it, wants a layout. */
function chooseEngine({ engine, layout, base }: BuildFlags): Engine | undefined {
  if (engine === 'none') return undefined;
  if (engine !== undefined) {
    if (layout !== undefined || base !== undefined) throw new UsageError('Say --engine, or --layout and --base');
    if (findEngine([engine]) === undefined) throw new UsageError(`Cannot build with ${engine}: it does not answer`);
    return engine;
  }
  return layout === undefined && base === undefined ? findEngine(ENGINES) : undefined;
}

interface LayOut {
  readonly tag: string;
  readonly platform: Platform;
  readonly to: string;
  readonly base?: string;
}

async function layOut(directory: string, options: LayOut): Promise<WrittenImage> {
  if (options.to.endsWith('.tar') && statSync(options.to, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`Cannot write ${options.to}: it is a folder`);
  // What was compiled earlier may be there of sources that are gone: an image is compiled afresh.
  const compiled = join(directory, '.pintle', 'build');
  rmSync(compiled, { recursive: true, force: true });
  await compileProject(directory, { outDir: compiled, sourceRoot: `/${APP}/src` });
  return await writeLayout({
    ...options,
    layers: [
      { about: 'packages', entries: packageEntries(productionPackages(directory, options.platform)) },
      { about: 'app', entries: appEntries(directory, compiled) },
    ],
    run: {
      entrypoint: ['node', '--enable-source-maps', 'dist/main.js'],
      workingDir: '/app',
      user: '65532:65532',
      env: { NODE_ENV: 'production' },
    },
  });
}

const ARCHITECTURES: Readonly<Record<string, string>> = table({
  x64: 'amd64',
  x86_64: 'amd64',
  aarch64: 'arm64',
  ia32: '386',
});

function readPlatform(text: string): Platform {
  const [os = '', machine = '', variant, ...more] = text.toLowerCase().split('/');
  const parts = [os, machine, ...(variant === undefined ? [] : [variant])];
  if (more.length > 0 || parts.some((part) => !/^[a-z0-9_.-]+$/.test(part)))
    throw new UsageError(`${JSON.stringify(text)} is no platform: one is linux/amd64 or linux/arm64`);
  return { os, architecture: ARCHITECTURES[machine] ?? machine, ...(variant !== undefined && { variant }) };
}

function checkedTag(tag: string): string {
  const isGood = /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9._/-]*[a-z0-9](?::[\w][\w.-]{0,127})?$/.test(tag);
  if (!isGood || tag.length > 255)
    throw new UsageError(`${JSON.stringify(tag)} is no name of an image, such as fruits:1.0`);
  return tag;
}

/** Returns the steps that are left until a cluster can run the image. */
function nextOf({ tag, layout = '' }: Built, base: string | undefined): string[] {
  if (base === undefined)
    return [
      'The image has no Node and does not run: build it again on an image that has one. Next:',
      '  docker save node:24-slim --output node.tar    # or: skopeo copy docker://node:24-slim oci-archive:node.tar',
      `  ${PINTLE} build --base node.tar --layout ${layout} --tag ${tag}`,
    ];
  if (!hasRegistry(tag))
    return [
      `${tag} is in no registry: to push the image, name it after one. Next:`,
      `  ${PINTLE} build --base ${base} --layout ${layout} --tag REGISTRY/${tag}`,
    ];
  return ['Next:', `  skopeo copy ${layout.endsWith('.tar') ? 'oci-archive' : 'oci'}:${layout} docker://${tag}`];
}

/** As docker tells: the first part of a name is a host when it has a dot or a port. */
function hasRegistry(tag: string): boolean {
  const [host = '', ...rest] = tag.split('/');
  return rest.length > 0 && (/[.:]/.test(host) || host === 'localhost');
}

function show(built: Built, { output = 'text', base }: BuildFlags): void {
  if (output === 'json') {
    process.stdout.write(`${JSON.stringify(built, null, 2)}\n`);
    return;
  }
  const { tag, engine, layout, digest, layers = [] } = built;
  if (engine !== undefined) {
    process.stdout.write(`${tag} built with ${engine}\n`);
    return;
  }
  const bytes = layers.reduce((sum, { size }) => sum + size, 0);
  const lines = [`+ ${layout} (${tag}, ${layers.length} layers, ${(bytes / 1e6).toFixed(1)} MB)`, `  ${digest}`];
  lines.push('', ...nextOf(built, base));
  process.stdout.write(`${lines.join('\n')}\n`);
}
