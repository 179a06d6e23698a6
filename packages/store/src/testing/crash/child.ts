/**
 * The process that is killed: opens a store and lets 16 writers compare-and-swap until it dies, or until it has had
 * LIMIT acknowledgements and kills itself. Every write is announced on stdout before it is sent and after it was
 * acknowledged, so the parent knows what must be there, what may be there and what must not.
 */
import { writeSync } from 'node:fs';
import { StoreError } from '../../errors.ts';
import { openLmdbStore } from '../../open-store.ts';
import { FIRST_REVISION, type Revision } from '../../revision.ts';
import type { Store } from '../../store.ts';
import type { CrashLine } from './crash-log.ts';

const WRITERS = 16;
const KEYS = 40;

const [directory, run, compaction, limit = 'Infinity'] = process.argv.slice(2);
if (directory === undefined || run === undefined)
  throw new Error('usage: child.js DIRECTORY RUN [keep|compact [LIMIT]]');
let acknowledged = 0;
const store = await openLmdbStore(directory);
print({ type: 'opened', revision: store.revision });
if (compaction === 'compact') void compactForever(store);
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeForever(store, writer)));

async function writeForever(into: Store, writer: number): Promise<never> {
  for (let count = 0; ; count++) {
    const key = `/registry/things/${(writer * 7 + count) % KEYS}`;
    const expected = (await into.get(key))?.modRevision ?? FIRST_REVISION;
    const id = `${run}-${writer}-${count}`;
    await writeOnce(into, key, expected, id, count % 11 === 10);
  }
}

async function writeOnce(into: Store, key: string, expected: Revision, id: string, isDelete: boolean): Promise<void> {
  const isDeletion = isDelete && expected > 0;
  print({ type: 'sent', key, id, isDeletion });
  try {
    const value = Buffer.from(id.padEnd(300, '.'));
    const operation = isDeletion
      ? ({ type: 'delete', key, expected } as const)
      : ({ type: 'put', key, value, expected } as const);
    const { revision } = await into.commit([operation]);
    print({ type: 'acknowledged', key, id, revision, isDeletion });
    if (++acknowledged >= Number(limit)) process.kill(process.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof StoreError && error.failure.code === 'Conflict')) throw error;
    print({ type: 'refused', id });
  }
}

async function compactForever(into: Store): Promise<never> {
  for (;;) {
    const target = Math.max(into.compactedRevision, into.revision - 200) as Revision;
    await into.compact(target);
    print({ type: 'compacted', revision: target });
  }
}

/** Writes synchronously: a written line survives the death of this process. */
function print(line: CrashLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
