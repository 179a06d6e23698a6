import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { yieldToEventLoop } from '@pintle/async';
import { StoreError } from '../../errors.ts';
import { openLmdbStore } from '../../open-store.ts';
import type { Operation, Store } from '../../store.ts';
import { builtPath } from './kill-test.ts';

export interface FullDiskResult {
  readonly problems: readonly string[];
  readonly rounds: number;
  readonly acknowledgedWrites: number;
}

export interface FullDiskOptions {
  readonly rounds?: number;
  readonly sizeMiB?: number;
}

/**
 * Fills a small disk, deletes while it is full, and continues when the store has freed space, several times; then the
 * same with a process that is killed, and on a disk that another process has filled to the last byte. Returns undefined
 * where such a disk cannot be mounted.
 */
export async function runFullDiskTest({
  rounds = 3,
  sizeMiB = 8,
}: FullDiskOptions = {}): Promise<FullDiskResult | undefined> {
  const mount = mkdtempSync(join(tmpdir(), 'pintle-full-'));
  try {
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', mount]).status !== 0) return undefined;
    const disk = new FullDisk(join(mount, 'store'));
    for (let round = 0; round < rounds; round++) await disk.fillAndDelete(`round-${round}`);
    for (let round = 0; round < rounds; round++) await disk.fillAndKill(`kill-${round}`);
    await disk.deleteBesideOther(join(mount, 'other'));
    return { problems: disk.problems, rounds, acknowledgedWrites: disk.acknowledged };
  } finally {
    unmount(mount);
    rmSync(mount, { recursive: true, force: true });
  }
}

/** Detaches the disk at once: a process that is being forked may still hold a file of it, and would make it busy. */
function unmount(mount: string): void {
  spawnSync('umount', ['--lazy', mount]);
}

/** Number of retries of a write while the store frees space. */
const TRIES = 10_000;

class FullDisk {
  readonly problems: string[] = [];
  acknowledged = 0;
  readonly #directory: string;
  readonly #newest = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async fillAndDelete(name: string): Promise<void> {
    await using store = await openLmdbStore(this.#directory);
    await this.#fill(store, name);
    await this.#check(store, `${name}, full`);
    await this.#deleteAll(store, name);
    await this.#check(store, `${name}, emptied`);
    await this.#writeAgain(store, name);
  }

  /** The next process finds the disk as full as the killed one left it. */
  async fillAndKill(name: string): Promise<void> {
    const args = [builtPath('full-disk-child.js'), this.#directory, `/${name}/`];
    const { stdout, signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (signal !== 'SIGKILL') this.problems.push(`${name}: the process ended otherwise: ${stderr}`);
    for (const line of stdout.trim().split('\n')) this.#note(name, line);
    await using store = await openLmdbStore(this.#directory);
    await this.#check(store, `${name}, opened again`);
    await this.#deleteAll(store, name);
    await this.#writeAgain(store, name);
  }

  /** Only the reserve of the store is left. */
  async deleteBesideOther(file: string): Promise<void> {
    await using store = await openLmdbStore(this.#directory);
    for (let count = 0; count < 100; count++) {
      await this.#writeWhenThereIsRoom(store, `/beside/${count}`, 'beside another');
    }
    for (let bytes = 1024 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) {
      try {
        for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
      } catch {
        // Full: the rest is filled with smaller pieces.
      }
    }
    await this.#deleteAll(store, 'beside another');
    await this.#check(store, 'beside another');
  }

  #note(name: string, line: string): void {
    const [what, key, revision] = line.split(' ');
    if (what === 'refused') this.problems.push(`${name}: a deletion was refused with ${key}`);
    else this.acknowledged++;
    if (what === 'put') this.#newest.set(key!, Number(revision));
    if (what === 'delete') this.#newest.delete(key!);
  }

  /** Writes until it is refused, even after the store has compacted its history. */
  async #fill(store: Store, name: string): Promise<void> {
    for (let count = 0, refused = 0; refused < 3; count++) {
      const key = `/${name}/${count}`;
      const outcome = await outcomeOf(store, put(key, count));
      if (typeof outcome === 'number') this.#newest.set(key, outcome);
      else refused++;
      if (typeof outcome !== 'number' && outcome !== 'NoSpace')
        this.problems.push(`${name}: a full disk was reported as ${outcome}`);
      this.acknowledged++;
    }
  }

  /** Deletes keys like objects with a finalizer: marks them first. */
  async #deleteAll(store: Store, name: string): Promise<void> {
    for (const key of [...this.#newest.keys()]) {
      const marked = await outcomeOf(store, { ...put(key, 0, 100), isForDeletion: true });
      const outcome = await outcomeOf(store, { type: 'delete', key });
      if (typeof marked !== 'number') this.problems.push(`${name}: ${key} could not be marked: ${marked}`);
      if (typeof outcome !== 'number') this.problems.push(`${name}: ${key} could not be deleted: ${outcome}`);
      else this.#newest.delete(key);
    }
  }

  /** Writes without reopening, and without an explicit compaction. */
  async #writeAgain(store: Store, name: string): Promise<void> {
    await this.#writeWhenThereIsRoom(store, '/after', name);
    await this.#check(store, `${name}, written again`);
  }

  async #writeWhenThereIsRoom(store: Store, key: string, name: string): Promise<void> {
    let outcome: number | string = '';
    for (let tries = 0; tries < TRIES; tries++) {
      outcome = await outcomeOf(store, put(key, 1));
      if (typeof outcome === 'number') break;
      await yieldToEventLoop();
    }
    if (typeof outcome !== 'number') this.problems.push(`${name}: nothing can be written any more: ${outcome}`);
    else this.#newest.set(key, outcome);
  }

  async #check(store: Store, name: string): Promise<void> {
    const { records } = await store.range({ start: '' });
    const found = new Map<string, number>(records.map(({ key, modRevision }) => [key, modRevision]));
    for (const [key, revision] of this.#newest)
      if (found.get(key) !== revision) this.problems.push(`${name}: ${key} is not what was written`);
    for (const key of found.keys())
      if (!this.#newest.has(key)) this.problems.push(`${name}: ${key} is there, though it was deleted`);
  }
}

function put(key: string, fill: number, bytes = 1200): Operation & { type: 'put' } {
  return { type: 'put', key, value: Buffer.alloc(bytes, fill) };
}

async function outcomeOf(store: Store, operation: Operation): Promise<number | string> {
  try {
    return (await store.commit([operation])).revision;
  } catch (error) {
    return error instanceof StoreError ? error.failure.code : String(error);
  }
}
