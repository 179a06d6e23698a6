import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiRequest, ApiResponse } from '@pintle/apiserver';
import { single } from './guard.ts';
import { fileResponse, pageResponse } from './responses.ts';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
  ['.json', 'application/json'],
]);

const COMPRESSED = /^(?:text|application\/json|image\/svg)/;
/** Where the page's template wants the nonce. */
const NONCE = '__NONCE__';

interface StaticFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly gzipped: Uint8Array | undefined;
}

/**
 * The files of the built page, by name. The names are read once; no name of a request becomes a path. What was asked for
 * is kept with its compressed form: all of it is less than a few megabytes.
 */
export class StaticFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #files = new Map<string, Promise<StaticFile>>();

  private constructor(folder: string, names: ReadonlySet<string>) {
    this.#folder = folder;
    this.#names = names;
  }

  static async open(folder: string): Promise<StaticFiles> {
    const found = await readdir(folder, { recursive: true }).catch(() => []);
    return new StaticFiles(folder, new Set(found.map((name) => name.replaceAll('\\', '/'))));
  }

  get isBuilt(): boolean {
    return this.#names.has('index.html');
  }

  /** The page, with a nonce of its own. */
  async page(): Promise<ApiResponse> {
    const nonce = randomBytes(18).toString('base64url');
    const { plain } = await this.#file('index.html');
    return pageResponse(Buffer.from(plain).toString().replaceAll(NONCE, nonce), nonce);
  }

  /** `undefined` when there is no such file. */
  async serve(request: ApiRequest, name: string): Promise<ApiResponse | undefined> {
    if (!this.#names.has(name) || name === 'index.html' || !TYPES.has(extname(name))) return undefined;
    const { type, etag, plain, gzipped } = await this.#file(name);
    // Names in this folder have a hash of what is in the file.
    const caching = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = { etag, 'cache-control': caching, vary: 'accept-encoding' };
    if (single(request, 'if-none-match') === etag) return fileResponse(304, new Uint8Array(0), headers);
    const isGzipped = gzipped !== undefined && /\bgzip\b/.test(single(request, 'accept-encoding') ?? '');
    const encoding = isGzipped ? { 'content-encoding': 'gzip' } : undefined;
    return fileResponse(200, isGzipped ? gzipped : plain, { ...headers, ...encoding, 'content-type': type });
  }

  #file(name: string): Promise<StaticFile> {
    let file = this.#files.get(name);
    if (file === undefined) {
      file = readStatic(join(this.#folder, name));
      file.catch(() => this.#files.delete(name));
      this.#files.set(name, file);
    }
    return file;
  }
}

async function readStatic(path: string): Promise<StaticFile> {
  const plain = await readFile(path);
  const type = TYPES.get(extname(path)) ?? 'application/octet-stream';
  const gzipped = COMPRESSED.test(type) ? await promisify(gzip)(plain, { level: 9 }) : undefined;
  return { type, etag: `"${createHash('sha256').update(plain).digest('base64url')}"`, plain, gzipped };
}
