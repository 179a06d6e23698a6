import { createHash } from 'node:crypto';
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';

/** Delay after an event of the file system: editors write a file in several steps. */
const DEBOUNCE_MS = 40;
/** Interval of polling, for folders that cannot be watched or send no events. */
const POLL_MS = 1_500;

interface FileState {
  /** Time, size and inode: while they stay the same, so does the content. */
  readonly stamp: string;
  readonly hash: string;
}

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly inode: number;
}

/**
 * Reports changes of the content of files below a folder, however they are saved, and created and deleted files. Watches
 * each folder separately. An event only starts a comparison with the file system, which decides.
 */
export class SourceWatcher implements Disposable {
  readonly #root: string;
  readonly #onChange: () => void;
  readonly #folders = new Map<string, WatchedFolder>();
  #files: ReadonlyMap<string, FileState> = new Map();
  #nextPoll: Disposable | undefined;
  #isWaiting = false;
  #isClosed = false;

  constructor(root: string, onChange: () => void) {
    this.#root = root;
    this.#onChange = onChange;
    this.#files = this.#read();
    this.#pollLater();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#nextPoll?.[Symbol.dispose]();
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #pollLater(): void {
    this.#nextPoll = realClock.setTimer(POLL_MS, () => {
      this.#compare();
      this.#pollLater();
    });
  }

  #compareSoon(): void {
    if (this.#isWaiting || this.#isClosed) return;
    this.#isWaiting = true;
    realClock.setTimer(DEBOUNCE_MS, () => {
      this.#isWaiting = false;
      if (!this.#isClosed) this.#compare();
    });
  }

  #compare(): void {
    const before = this.#files;
    this.#files = this.#read();
    if (!isSame(before, this.#files)) this.#onChange();
  }

  #read(): Map<string, FileState> {
    const files = new Map<string, FileState>();
    const folders = new Set<string>();
    this.#readFolder(this.#root, files, folders);
    for (const folder of this.#folders.keys()) if (!folders.has(folder)) this.#unwatch(folder);
    return files;
  }

  /** A file that is gone by the time it is read counts as absent. */
  #readFolder(folder: string, files: Map<string, FileState>, folders: Set<string>): void {
    folders.add(folder);
    this.#watch(folder);
    const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== 'dist') this.#readFolder(path, files, folders);
        continue;
      }
      const state = isIgnored(entry.name) ? undefined : ifThere(() => this.#readFile(path));
      if (state !== undefined) files.set(path, state);
    }
  }

  #readFile(path: string): FileState | undefined {
    const stats = statSync(path);
    if (!stats.isFile()) return undefined;
    const stamp = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
    const known = this.#files.get(path);
    // Two writes may be so close that only their content differs.
    const isOld = realClock.now() - stats.mtimeMs > 2 * POLL_MS;
    return isOld && known?.stamp === stamp ? known : { stamp, hash: hashOf(readFileSync(path)) };
  }

  /** Watches a folder; one that replaced another of its name gets a new watcher. */
  #watch(folder: string): void {
    const inode = ifThere(() => statSync(folder).ino);
    const known = this.#folders.get(folder);
    if (known !== undefined && known.inode === inode) return;
    this.#unwatch(folder);
    const watcher = ifThere(() => watch(folder));
    if (watcher === undefined || inode === undefined) return;
    this.#folders.set(folder, { watcher, inode });
    watcher.on('change', () => this.#compareSoon());
    watcher.on('error', () => {
      watcher.close();
      this.#compareSoon();
    });
  }

  #unwatch(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }
}

/** True for files that the operator does not load: backups and notes of editors, tests and explorations. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || /\.(?:test|explore)\.[cm]?tsx?$/.test(name);
}

function isSame(before: ReadonlyMap<string, FileState>, after: ReadonlyMap<string, FileState>): boolean {
  return before.size === after.size && [...after].every(([path, { hash }]) => before.get(path)?.hash === hash);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Returns `undefined` for files and folders that are gone or cannot be read. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
