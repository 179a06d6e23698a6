/**
 * Fills the disk, deletes every other key although it is full, and kills itself. Prints every acknowledged write on
 * stdout: `put KEY REVISION` or `delete KEY REVISION`; at last `refused CODE` for a deletion that was refused.
 */
import { writeSync } from 'node:fs';
import { StoreError } from '../../errors.ts';
import { openLmdbStore } from '../../open-store.ts';

const [directory, prefix] = process.argv.slice(2);
if (directory === undefined || prefix === undefined) throw new Error('usage: full-disk-child.js DIRECTORY PREFIX');
const store = await openLmdbStore(directory);
let count = 0;
// A refused write makes the store compact its history; some more find room then.
for (let refused = 0; refused < 3; ) {
  const key = `${prefix}${count++}`;
  try {
    const { revision } = await store.commit([{ type: 'put', key, value: Buffer.alloc(1200, count) }]);
    print(`put ${key} ${revision}`);
  } catch (error) {
    if (codeOf(error) !== 'NoSpace') throw error;
    refused++;
  }
}
for (let index = 0; index < count; index += 2) {
  const key = `${prefix}${index}`;
  try {
    const { revision } = await store.commit([{ type: 'delete', key }]);
    print(`delete ${key} ${revision}`);
  } catch (error) {
    print(`refused ${codeOf(error)}`);
  }
}
process.kill(process.pid, 'SIGKILL');

function codeOf(error: unknown): string {
  return error instanceof StoreError ? error.failure.code : String(error);
}

/** Writes synchronously: a written line survives the death of this process. */
function print(line: string): void {
  writeSync(1, `${line}\n`);
}
