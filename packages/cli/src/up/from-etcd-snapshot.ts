import { join } from 'node:path';
import { realClock } from '@pintle/async';
import type { MemoryDisk } from '@pintle/store';
import { openMemoryStore } from '@pintle/store';
import { importIntoMemory } from '@pintle/store/backup';
import { EtcdSnapshotError, readEtcdSnapshot } from '@pintle/store-etcd/snapshot';
import { encryptionConfigOf, prefixOf } from '../apiserver/etcd-flags.ts';
import type { ParsedFlags } from '../apiserver/flags.ts';
import { copyIntoFolder } from '../migrate/into-folder.ts';
import { SECRETS_KEY_FILE } from '../serve/sealed-store.ts';
import { layoutOf } from '../serve/shared-store.ts';
import { UsageError } from '../usage-error.ts';

const NAMED_DAMAGED = 10;

interface Target {
  /** Data folder; `undefined` keeps objects in memory. */
  readonly folder: string | undefined;
  readonly secretsKeyFile?: string;
  readonly log: { warn(message: string): void };
}

/**
 * Reads a snapshot of a cluster's etcd. Returns the disk of a store in memory, or makes the store of the data folder and returns
 * nothing. Throws UsageError when the file cannot be used, or when the folder holds a store.
 */
export async function openEtcdSnapshot(
  file: string,
  flags: ParsedFlags,
  target: Target,
): Promise<MemoryDisk | undefined> {
  const prefix = prefixOf(flags.values['etcd-prefix']);
  const layout = await layoutOf(prefix, await encryptionConfigOf(flags));
  const disk = await readDisk(file, { prefix, layout }, target.log);
  const { folder, secretsKeyFile } = target;
  if (folder === undefined) return disk;
  await using store = await openMemoryStore({ clock: realClock, disk });
  await copyIntoFolder(store, join(folder, 'store'), secretsKeyFile ?? join(folder, SECRETS_KEY_FILE));
  return undefined;
}

type Paths = Omit<Parameters<typeof readEtcdSnapshot>[1], 'nowMs'>;

async function readDisk(file: string, paths: Paths, log: Target['log']): Promise<MemoryDisk> {
  try {
    const { records, revision, damaged } = await readEtcdSnapshot(file, { ...paths, nowMs: realClock.now() });
    if (records.length === 0)
      throw new UsageError(`Cannot use --from-etcd-snapshot: there are no objects below ${paths.prefix} in ${file}`);
    if (damaged.size > 0) log.warn(describeDamaged(damaged));
    return await importIntoMemory({ records: onePage(records), revision, bumpBy: 0 });
  } catch (error) {
    if (error instanceof EtcdSnapshotError) throw new UsageError(`${error.message} (${file})`);
    throw error;
  }
}

function describeDamaged(damaged: ReadonlyMap<string, string>): string {
  const named = [...damaged].slice(0, NAMED_DAMAGED).map(([key, problem]) => `${key} (${problem})`);
  return `Left out ${damaged.size} objects that cannot be read: ${named.join(', ')}`;
}

async function* onePage<T>(records: readonly T[]): AsyncGenerator<readonly T[]> {
  yield records;
}
