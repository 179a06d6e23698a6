/**
 * Opens damaged copies of a data file one after the other and prints the outcome of each: `same` as the original,
 * `refused` with Corrupt, or `WRONG`. Runs in a separate process, because LMDB may crash on what it reads.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '@pintle/async';
import { StoreError } from '../../errors.ts';
import { openLmdbStore } from '../../open-store.ts';

const [original, scratch, from, to, seed] = process.argv.slice(2) as [string, string, string, string, string];
const intact = await dump(copyTo(join(scratch, 'intact')));
for (let number = Number(from); number < Number(to); number++) {
  const directory = copyTo(join(scratch, 'damaged'));
  damage(join(directory, 'data.mdb'), new SeededRandom(Number(seed) + number));
  writeSync(1, `${number} ${await outcome(directory)}\n`);
}

async function outcome(directory: string): Promise<string> {
  try {
    return (await dump(directory)) === intact ? 'same' : 'WRONG';
  } catch (error) {
    return error instanceof StoreError && error.failure.code === 'Corrupt' ? 'refused' : `failed ${error}`;
  }
}

/** Hashes everything that the store returns: the newest state and all of history. */
async function dump(directory: string): Promise<string> {
  await using store = await openLmdbStore(directory);
  const hash = createHash('sha256').update(`${store.revision} ${store.compactedRevision}`);
  const { records } = await store.range({ start: '' });
  for (const { key, value, modRevision } of records) hash.update(`${key} ${modRevision}`).update(value);
  const watch = store.watch({ start: '' }, { after: store.compactedRevision });
  while (watch.progress < store.revision) hash.update(JSON.stringify((await watch.next()).value));
  return hash.digest('hex');
}

/** Flips one bit, or every fourth time zeroes a page or truncates the file. */
function damage(file: string, random: SeededRandom): void {
  const bytes = readFileSync(file);
  const at = random.below(bytes.length);
  const kind = random.below(8);
  if (kind === 0) bytes.fill(0, at & ~4095, (at | 4095) + 1);
  else bytes[at]! ^= 1 << random.below(8);
  writeFileSync(file, kind === 1 ? bytes.subarray(0, Math.max(at, 8192)) : bytes);
}

function copyTo(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  copyFileSync(join(original, 'data.mdb'), join(directory, 'data.mdb'));
  return directory;
}
