import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { UsageError } from '../usage-error.ts';
import type { BlobFolder, Descriptor, Layer, Platform } from './blob-folder.ts';
import { LAYER } from './blob-folder.ts';
import { TarFile } from './tar-reader.ts';

/** Configuration of an OCI image. */
export interface ImageConfig {
  readonly created?: string;
  readonly architecture: string;
  readonly os: string;
  readonly variant?: string;
  readonly config?: Readonly<Record<string, unknown>> & { readonly Env?: readonly string[] };
  readonly rootfs: { readonly type: 'layers'; readonly diff_ids: readonly string[] };
  readonly history?: readonly object[];
}

export interface BaseImage {
  readonly config: ImageConfig;
  readonly layers: readonly Layer[];
}

/**
 * Reads a base image from an OCI image layout (a folder or an archive) or from the output of `docker save`. Copies its layers
 * into `blobs` and verifies their digests.
 */
export function takeBase(path: string, platform: Platform, blobs: BlobFolder): BaseImage {
  using source = openSource(path);
  if (source.has('index.json')) return fromLayout(source, platform, blobs);
  if (source.has('manifest.json')) return fromDockerSave(source, platform, blobs);
  throw new UsageError(`Cannot build on ${path}: it is neither an OCI image layout nor output of docker save`);
}

interface Source extends Disposable {
  readonly path: string;
  has(path: string): boolean;
  chunks(path: string): Iterable<Uint8Array>;
}

function openSource(path: string): Source {
  if (!statSync(path).isDirectory()) return Object.assign(new TarFile(path), { path });
  return {
    path,
    has: (inner) => existsSync(join(path, inner)),
    chunks: (inner) => fileChunks(fileIn(path, inner)),
    [Symbol.dispose]: () => undefined,
  };
}

/** Returns the path of a file in a folder. Throws UsageError when it leads out of it, also by a link, or is no file. */
function fileIn(folder: string, inner: string): string {
  const path = existsSync(join(folder, inner)) ? realpathSync(join(folder, inner)) : undefined;
  const within = path === undefined ? '..' : relative(realpathSync(folder), path);
  if (path === undefined || within.startsWith('..') || isAbsolute(within) || !statSync(path).isFile())
    throw new UsageError(`Cannot build on ${folder}: it has no file ${inner}`);
  return path;
}

const CHUNK_BYTES = 1024 * 1024;
/** Larger than any index, manifest or configuration. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

function* fileChunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const length = readSync(file, chunk);
      if (length === 0) return;
      yield chunk.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

interface Index {
  readonly manifests?: readonly Descriptor[];
}

interface ImageManifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Media types of OCI by those of Docker. */
const OCI_TYPES: Readonly<Record<string, string>> = table({
  'application/vnd.docker.image.rootfs.diff.tar.gzip': LAYER,
  'application/vnd.docker.image.rootfs.diff.tar': 'application/vnd.oci.image.layer.v1.tar',
});

function fromLayout(source: Source, platform: Platform, blobs: BlobFolder): BaseImage {
  const manifest = chosen(source, readJson<Index>(source, 'index.json'), platform);
  const config = checkedConfig(source, blobJson<ImageConfig>(source, manifest.config), platform);
  const layers = manifest.layers.map((layer, at) => {
    const { digest, size } = blobs.copy(source.chunks(blobPath(source, layer.digest)));
    if (digest !== layer.digest) throw damaged(source, layer.digest);
    const mediaType = OCI_TYPES[layer.mediaType] ?? layer.mediaType;
    return { descriptor: { mediaType, digest, size }, diffId: config.rootfs.diff_ids[at] ?? '' };
  });
  return { config, layers };
}

/** Follows indexes to the image of the platform. An entry without a platform matches; its config is checked later. */
function chosen(source: Source, index: Index, platform: Platform, depth = 0): ImageManifest {
  const all = index.manifests ?? [];
  if (!areDescriptors(all)) throw damaged(source, 'its index');
  const matching = all.filter((each) => each.platform === undefined || isSame(each.platform, platform));
  const [first] = matching;
  if (first === undefined || depth > 3) {
    const platforms = all.map((each) => each.platform && nameOf(each.platform)).filter(Boolean);
    throw new UsageError(
      `Cannot build on ${source.path}: it has ${platforms.join(', ') || 'no platform'}, not ${nameOf(platform)}`,
    );
  }
  const document = blobJson<ImageManifest & Index>(source, first);
  if (document.manifests !== undefined) return chosen(source, document, platform, depth + 1);
  if (!areDescriptors([document.config]) || !areDescriptors(document.layers)) throw damaged(source, first.digest);
  return document;
}

interface SavedImage {
  readonly Config: string;
  readonly Layers: readonly string[];
}

/** Layers of `docker save` are not compressed: the digest is that of the archive. */
function fromDockerSave(source: Source, platform: Platform, blobs: BlobFolder): BaseImage {
  const saved = savedIn(source);
  const config = checkedConfig(source, readJson<ImageConfig>(source, saved.Config), platform);
  const layers = saved.Layers.map((path, at) => {
    const { digest, size } = blobs.copy(source.chunks(path));
    if (digest !== config.rootfs.diff_ids[at]) throw damaged(source, path);
    return { descriptor: { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size }, diffId: digest };
  });
  return { config, layers };
}

function savedIn(source: Source): SavedImage {
  const images = readJson<unknown>(source, 'manifest.json');
  const [first] = Array.isArray(images) ? images : [];
  if (first === undefined) throw new UsageError(`Cannot build on ${source.path}: it holds no image`);
  const { Config, Layers } = Object(first) as Readonly<Record<string, unknown>>;
  if (typeof Config !== 'string' || !areTexts(Layers)) throw damaged(source, 'manifest.json');
  return { Config, Layers };
}

function checkedConfig(source: Source, config: ImageConfig, platform: Platform): ImageConfig {
  if (!areTexts(config.rootfs?.diff_ids)) throw damaged(source, 'its configuration');
  if (!isSame(config, platform))
    throw new UsageError(`Cannot build on ${source.path}: it is for ${nameOf(config)}, not ${nameOf(platform)}`);
  return config;
}

function isSame(a: Platform, b: Platform): boolean {
  const isVariant = b.variant === undefined || a.variant === undefined || a.variant === b.variant;
  return a.os === b.os && a.architecture === b.architecture && isVariant;
}

export function nameOf({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

function blobJson<T>(source: Source, { digest }: Descriptor): T {
  const bytes = readSmall(source, blobPath(source, digest));
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest) throw damaged(source, digest);
  return parse<T>(source, digest, bytes);
}

function blobPath(source: Source, digest: string): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  const path = `blobs/sha256/${hex}`;
  if (hex === undefined || !source.has(path))
    throw new UsageError(`Cannot build on ${source.path}: it has no blob ${digest}`);
  return path;
}

function readJson<T>(source: Source, path: string): T {
  return parse<T>(source, path, readSmall(source, path));
}

function readSmall(source: Source, path: string): Buffer {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (const chunk of source.chunks(path)) {
    length += chunk.length;
    if (length > MAX_JSON_BYTES) throw damaged(source, path);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse<T>(source: Source, part: string, bytes: Buffer): T {
  try {
    const value: JsonValue = JSON.parse(bytes.toString('utf8'));
    if (isJsonObject(value) || Array.isArray(value)) return value as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw damaged(source, part);
}

function areDescriptors(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((each) => isJsonObject(each) && areTexts([each.digest, each.mediaType ?? '']) && !isOdd(each.platform))
  );
}

function isOdd(platform: JsonValue | undefined): boolean {
  return platform !== undefined && !isJsonObject(platform);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function damaged(source: Source, part: string): UsageError {
  return new UsageError(`Cannot build on ${source.path}: ${part} is damaged`);
}
