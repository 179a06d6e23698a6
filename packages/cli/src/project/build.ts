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
import { projectDirectory } from './project-directory.ts';
import { PINTLE } from './version.ts';

interface BuildFlags {
  /** Default: the image of the project's settings, or NAME:latest. */
  readonly tag?: string;
  /** Default: Linux on this machine's processor. */
  readonly platform?: string;
  readonly engine?: Engine | 'none';
  /** A folder, or a file that ends with `.tar`. Default without an engine: .pintle/image. */
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

/** `pintle build`: builds with the first engine that responds, else writes an OCI image layout. */
export async function build(flags: BuildFlags): Promise<void> {
  const directory = projectDirectory();
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
      `Cannot build an image that runs: none of ${ENGINES.join(', ')} responds. Start one, or pass --base. ` +
        'Pass --engine none to write an image without Node.js',
    );
}

/** True when the image lacks Node.js only because no engine responds: no flag asked for such an image. */
function isWithoutRuntime({ engine, layout, base }: BuildFlags): boolean {
  return engine === undefined && layout === undefined && base === undefined;
}

/** Returns no engine when --layout or --base asks for a layout. */
function chooseEngine({ engine, layout, base }: BuildFlags): Engine | undefined {
  if (engine === 'none') return undefined;
  if (engine !== undefined) {
    if (layout !== undefined || base !== undefined)
      throw new UsageError('Cannot use --engine with --layout or --base: pass one or the other');
    if (findEngine([engine]) === undefined) throw new UsageError(`Cannot build with ${engine}: it does not respond`);
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
  // Compiles from scratch: earlier output may come from sources that are gone.
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
    throw new UsageError(`Cannot use --platform ${JSON.stringify(text)}: a platform is linux/amd64 or linux/arm64`);
  return { os, architecture: ARCHITECTURES[machine] ?? machine, ...(variant !== undefined && { variant }) };
}

function checkedTag(tag: string): string {
  const isGood = /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9._/-]*[a-z0-9](?::[\w][\w.-]{0,127})?$/.test(tag);
  if (!isGood || tag.length > 255)
    throw new UsageError(`Cannot use --tag ${JSON.stringify(tag)}: it is not a name such as fruits:1.0`);
  return tag;
}

/** Returns the remaining steps until a cluster can run the image. */
function nextOf({ tag, layout = '' }: Built, base: string | undefined): string[] {
  if (base === undefined)
    return [
      'The image has no Node.js and does not run. Build it again on a base image that has it:',
      '  docker save node:24-slim --output node.tar    # or: skopeo copy docker://node:24-slim oci-archive:node.tar',
      `  ${PINTLE} build --base node.tar --layout ${layout} --tag ${tag}`,
    ];
  if (!hasRegistry(tag))
    return [
      `${tag} names no registry. To push the image, build it again with a registry in its name:`,
      `  ${PINTLE} build --base ${base} --layout ${layout} --tag REGISTRY/${tag}`,
    ];
  return ['Next:', `  skopeo copy ${layout.endsWith('.tar') ? 'oci-archive' : 'oci'}:${layout} docker://${tag}`];
}

/** True when the first part of the name is a host: it has a dot or a port, or is localhost, as docker decides. */
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
    process.stdout.write(`Built ${tag} with ${engine}\n`);
    return;
  }
  const bytes = layers.reduce((sum, { size }) => sum + size, 0);
  const lines = [`+ ${layout} (${tag}, ${layers.length} layers, ${(bytes / 1e6).toFixed(1)} MB)`, `  ${digest}`];
  lines.push('', ...nextOf(built, base));
  process.stdout.write(`${lines.join('\n')}\n`);
}
