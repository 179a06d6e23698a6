import { createHash } from 'node:crypto';
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';

/** Editors write a file in several steps. */
const SETTLE_MS = 40;
/** Where folders cannot be watched, or tell nothing, they are looked at so often. */
const LOOK_EVERY_MS = 1_500;

interface Seen {
  /** Time, size and identity: as long as they stay, so does the content. */
  readonly stamp: string;
  readonly hash: string;
}

interface WatchedFolder {
  readonly watcher: FSWatcher;
  readonly inode: number;
}

/**
 * Tells of changes of what files hold below a folder, however they were saved, and of files that come and go. Every
 * folder is watched by itself, and what it tells is only a reason to look: what counts is what is found there.
 */
export class SourceWatcher implements Disposable {
  readonly #root: string;
  readonly #onChange: () => void;
  readonly #folders = new Map<string, WatchedFolder>();
  #files: ReadonlyMap<string, Seen> = new Map();
  #next: Disposable | undefined;
  #isWaiting = false;
  #isClosed = false;

  constructor(root: string, onChange: () => void) {
    this.#root = root;
    this.#onChange = onChange;
    this.#files = this.#read();
    this.#lookLater();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#next?.[Symbol.dispose]();
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #lookLater(): void {
    this.#next = realClock.setTimer(LOOK_EVERY_MS, () => {
      this.#look();
      this.#lookLater();
    });
  }

  #noted(): void {
    if (this.#isWaiting || this.#isClosed) return;
    this.#isWaiting = true;
    realClock.setTimer(SETTLE_MS, () => {
      this.#isWaiting = false;
      if (!this.#isClosed) this.#look();
    });
  }

  #look(): void {
    const before = this.#files;
    this.#files = this.#read();
    if (!isSame(before, this.#files)) this.#onChange();
  }

  #read(): Map<string, Seen> {
    const files = new Map<string, Seen>();
    const folders = new Set<string>();
    this.#readFolder(this.#root, files, folders);
    for (const folder of this.#folders.keys()) if (!folders.has(folder)) this.#unwatch(folder);
    return files;
  }

  /** A file that is gone by the time it is read counts as absent. */
  #readFolder(folder: string, files: Map<string, Seen>, folders: Set<string>): void {
    folders.add(folder);
    this.#watch(folder);
    const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== 'dist') this.#readFolder(path, files, folders);
        continue;
      }
      const seen = isIgnored(entry.name) ? undefined : ifThere(() => this.#readFile(path));
      if (seen !== undefined) files.set(path, seen);
    }
  }

  #readFile(path: string): Seen | undefined {
    const stats = statSync(path);
    if (!stats.isFile()) return undefined;
    const stamp = `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
    const known = this.#files.get(path);
    // Two writes may be so close that only what they wrote tells them apart.
    const isOld = realClock.now() - stats.mtimeMs > 2 * LOOK_EVERY_MS;
    return isOld && known?.stamp === stamp ? known : { stamp, hash: hashOf(readFileSync(path)) };
  }

  /** A folder that took the place of another is watched in its place. */
  #watch(folder: string): void {
    const inode = ifThere(() => statSync(folder).ino);
    const known = this.#folders.get(folder);
    if (known !== undefined && known.inode === inode) return;
    this.#unwatch(folder);
    const watcher = ifThere(() => watch(folder));
    if (watcher === undefined || inode === undefined) return;
    this.#folders.set(folder, { watcher, inode });
    watcher.on('change', () => this.#noted());
    watcher.on('error', () => {
      watcher.close();
      this.#noted();
    });
  }

  #unwatch(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }
}

/** Returns whether no program runs the file: editors keep copies and notes beside files, and tests run by themselves. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') || name.endsWith('~') || /\.test\.[cm]?tsx?$/.test(name);
}

function isSame(before: ReadonlyMap<string, Seen>, after: ReadonlyMap<string, Seen>): boolean {
  return before.size === after.size && [...after].every(([path, { hash }]) => before.get(path)?.hash === hash);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Files and folders come and go while they are looked at, and some may not be read: then there is nothing. */
function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
