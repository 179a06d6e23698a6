import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { BaseImage, ImageConfig } from './base-image.ts';
import { takeBase } from './base-image.ts';
import type { Descriptor, Layer, Platform } from './blob-folder.ts';
import { BlobFolder } from './blob-folder.ts';
import type { TarEntry } from './tar-writer.ts';
import { tarChunks } from './tar-writer.ts';

export interface LayoutOptions {
  /** A folder for the layout, or a file that ends with `.tar` for an archive of it. */
  readonly to: string;
  readonly tag: string;
  readonly platform: Platform;
  /** Layers from the bottom to the top, each with a comment for the history. */
  readonly layers: readonly { readonly about: string; readonly entries: readonly TarEntry[] }[];
  readonly run: RunConfig;
  /** Path of the base image: an OCI image layout or output of `docker save`. */
  readonly base?: string;
}

/** Settings that start a container of the image. Other settings of the base stay. */
interface RunConfig {
  readonly entrypoint: readonly string[];
  readonly workingDir: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface WrittenImage {
  readonly digest: string;
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

const CONFIG = 'application/vnd.oci.image.config.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
/** Creation time of every image, so that the same sources give the same digest. */
const EPOCH = '1970-01-01T00:00:00Z';

/**
 * Writes an OCI image layout without an engine, with a `manifest.json` for `docker load`. Removes a layout that was in the
 * folder before.
 */
export async function writeLayout(options: LayoutOptions): Promise<WrittenImage> {
  const { to } = options;
  if (!to.endsWith('.tar')) return await writeFolder(to, options);
  const folder = `${to}.parts`;
  try {
    const written = await writeFolder(folder, options);
    archive(folder, to);
    return written;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeFolder(folder: string, options: LayoutOptions): Promise<WrittenImage> {
  const { base: path, platform, tag } = options;
  for (const name of ['blobs', 'index.json', 'manifest.json', 'oci-layout'])
    rmSync(join(folder, name), { recursive: true, force: true });
  const blobs = new BlobFolder(folder);
  const base = path === undefined ? undefined : takeBase(path, platform, blobs);
  const own: Layer[] = [];
  for (const { entries } of options.layers) own.push(await blobs.putLayer(entries));
  const layers = [...(base?.layers ?? []), ...own];
  const config = blobs.putJson(CONFIG, configOf(options, base, own));
  const content = { schemaVersion: 2, mediaType: MANIFEST, config, layers: layers.map(({ descriptor }) => descriptor) };
  const manifest = blobs.putJson(MANIFEST, content);
  const index = { schemaVersion: 2, mediaType: INDEX, manifests: [{ ...manifest, platform, annotations: named(tag) }] };
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify([dockerManifest(tag, config, layers)]));
  return { digest: manifest.digest, layers: layers.map(({ descriptor: { digest, size } }) => ({ digest, size })) };
}

function configOf(
  { layers, run, platform }: LayoutOptions,
  base: BaseImage | undefined,
  own: readonly Layer[],
): ImageConfig {
  const { Cmd: _command, ...inherited } = base?.config.config ?? {};
  const { os, architecture, variant } = platform;
  const history = layers.map(({ about }) => ({ created: EPOCH, created_by: 'pintle build', comment: about }));
  return {
    created: EPOCH,
    architecture,
    os,
    ...(variant !== undefined && { variant }),
    config: {
      ...inherited,
      User: run.user,
      Env: environment(base?.config.config?.Env, run.env),
      Entrypoint: run.entrypoint,
      WorkingDir: run.workingDir,
    },
    rootfs: { type: 'layers', diff_ids: [...(base?.layers ?? []), ...own].map(({ diffId }) => diffId) },
    history: [...(base?.config.history ?? []), ...history],
  };
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function environment(inherited: readonly string[] = [`PATH=${PATH}`], own: Readonly<Record<string, string>>): string[] {
  const kept = inherited.filter((each) => !Object.hasOwn(own, each.split('=')[0] ?? ''));
  return [...kept, ...Object.entries(own).map(([name, value]) => `${name}=${value}`)];
}

function named(tag: string): Record<string, string> {
  const version = /:([^/:]+)$/.exec(tag)?.[1] ?? 'latest';
  return { 'io.containerd.image.name': tag, 'org.opencontainers.image.ref.name': version };
}

function dockerManifest(tag: string, config: Descriptor, layers: readonly Layer[]): object {
  const pathOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;
  return { Config: pathOf(config), RepoTags: [tag], Layers: layers.map(({ descriptor }) => pathOf(descriptor)) };
}

function archive(folder: string, to: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const entries = names.map((entry): TarEntry => {
    const whole = join(entry.parentPath, entry.name);
    const path = whole.slice(folder.length + 1).replaceAll('\\', '/');
    if (entry.isDirectory()) return { type: 'folder', path };
    return { type: 'file', path, isExecutable: false, read: () => readFileSync(whole) };
  });
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const file = openSync(to, 'w');
  try {
    for (const chunk of tarChunks(entries)) for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
  } finally {
    closeSync(file);
  }
}
