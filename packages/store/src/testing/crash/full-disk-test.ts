import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { openLmdbStore } from '../../open-store.ts';
import type { Store } from '../../store.ts';

export interface FullDiskResult {
  readonly problems: readonly string[];
  readonly rounds: number;
  readonly acknowledgedWrites: number;
}

/** Fills a small disk, compacts, and goes on, several times. Undefined where such a disk cannot be mounted. */
export async function runFullDiskTest(rounds = 5): Promise<FullDiskResult | undefined> {
  const mount = mkdtempSync(join(tmpdir(), 'pintle-full-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', mount]).status !== 0) return undefined;
  try {
    return await fillAgainAndAgain(join(mount, 'store'), rounds);
  } finally {
    spawnSync('umount', [mount]);
    rmSync(mount, { recursive: true, force: true });
  }
}

async function fillAgainAndAgain(directory: string, rounds: number): Promise<FullDiskResult> {
  const problems: string[] = [];
  const newest = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    await using store = await openLmdbStore(directory);
    const problem = await fill(store, newest);
    if (problem !== 'NoSpace') problems.push(`round ${round}: a full disk was reported as ${problem}`);
    problems.push(...(await check(store, newest)).map((each) => `round ${round}, full: ${each}`));
    await store.compact(store.revision);
    const { revision } = await store.commit([{ type: 'put', key: '/after', value: Buffer.alloc(1000) }]);
    newest.set('/after', revision);
    problems.push(...(await check(store, newest)).map((each) => `round ${round}, compacted: ${each}`));
  }
  return { problems, rounds, acknowledgedWrites: newest.get('/after') ?? 0 };
}

/** Writes until it is refused; the code of the refusal. */
async function fill(store: Store, newest: Map<string, number>): Promise<string> {
  for (let count = 0; ; count++) {
    const key = `/k${count % 300}`;
    try {
      const { revision } = await store.commit([{ type: 'put', key, value: Buffer.alloc(1200, count) }]);
      newest.set(key, revision);
    } catch (error) {
      return error instanceof StoreError ? error.failure.code : String(error);
    }
  }
}

async function check(store: Store, newest: ReadonlyMap<string, number>): Promise<string[]> {
  const { records } = await store.range({ start: '' });
  const found = new Map<string, number>(records.map(({ key, modRevision }) => [key, modRevision]));
  return [...newest]
    .filter(([key, revision]) => found.get(key) !== revision)
    .map(([key]) => `${key} is not what was written`);
}
