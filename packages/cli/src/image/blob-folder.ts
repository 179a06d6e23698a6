import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import type { TarEntry } from './tar-writer.ts';
import { tarChunks } from './tar-writer.ts';

/** Descriptor of a blob in OCI documents. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

export interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of the archive before compression. */
  readonly diffId: string;
}

export const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/** Stores blobs by digest, as an OCI image layout does. */
export class BlobFolder {
  readonly #folder: string;

  constructor(layout: string) {
    this.#folder = join(layout, 'blobs', 'sha256');
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Keeps the order of keys. */
  putJson(mediaType: string, value: unknown): Descriptor {
    const bytes = Buffer.from(JSON.stringify(value));
    const hex = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(this.#folder, hex), bytes);
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
  }

  /** Copies a blob. Returns its digest and size. */
  copy(chunks: Iterable<Uint8Array>): { readonly digest: string; readonly size: number } {
    const writer = new BlobWriter(this.#folder);
    for (const chunk of chunks) writer.write(chunk);
    return writer.finish();
  }

  async putLayer(entries: Iterable<TarEntry>): Promise<Layer> {
    const archive = createHash('sha256');
    const writer = new BlobWriter(this.#folder);
    let isFirst = true;
    const gzip = createGzip({ level: 9 });
    gzip.on('data', (chunk: Buffer) => {
      writer.write(isFirst ? withoutSystem(chunk) : chunk);
      isFirst = false;
    });
    const ended = new Promise<void>((done, failed) => gzip.on('end', done).on('error', failed));
    for (const chunk of tarChunks(entries)) {
      archive.update(chunk);
      if (!gzip.write(chunk)) await new Promise<void>((done) => gzip.once('drain', done));
    }
    gzip.end();
    await ended;
    return { descriptor: { mediaType: LAYER, ...writer.finish() }, diffId: `sha256:${archive.digest('hex')}` };
  }
}

/** Sets the operating system of a gzip header, its tenth byte, to 255 (unknown), so that all systems write the same bytes. */
function withoutSystem(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy[9] = 255;
  return copy;
}

/** Writes a blob under a temporary name, since its digest is known only at the end. */
class BlobWriter {
  readonly #folder: string;
  readonly #path: string;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  #size = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, `.writing-${process.pid}`);
    rmSync(this.#path, { force: true });
    this.#file = openSync(this.#path, 'wx');
  }

  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) at += writeSync(this.#file, chunk, at);
    this.#hash.update(chunk);
    this.#size += chunk.length;
  }

  finish(): { readonly digest: string; readonly size: number } {
    closeSync(this.#file);
    const hex = this.#hash.digest('hex');
    renameSync(this.#path, join(this.#folder, hex));
    return { digest: `sha256:${hex}`, size: this.#size };
  }
}
