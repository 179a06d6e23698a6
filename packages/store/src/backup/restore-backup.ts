import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Revision } from '../revision.ts';
import { BackupError } from './backup-error.ts';
import type { BackupEnd, BackupHeader } from './backup-format.ts';
import { importRecords } from './import-records.ts';
import { BackupReader } from './read-backup.ts';

export interface RestoreOptions {
  readonly source: AsyncIterable<Uint8Array>;
  readonly bumpBy: number;
  /** Looks at the restored store before it takes its place; when it throws, nothing is restored. */
  readonly check?: (directory: string) => Promise<void>;
}

export interface RestoredBackup {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  /** The first revision of the restored store. */
  readonly revision: Revision;
}

/**
 * Makes the store of a backup in a directory that is empty or does not exist. It is made beside the directory and renamed when it is
 * complete and safe on the disk: a restore that fails or is killed leaves the directory as it was. Throws BackupError.
 */
export async function restoreBackup(directory: string, options: RestoreOptions): Promise<RestoredBackup> {
  await refuseUsed(directory);
  const { source, bumpBy, check } = options;
  const reader = await BackupReader.open(source);
  await mkdir(dirname(directory), { recursive: true });
  const made = await mkdtemp(`${directory}.restoring-`);
  try {
    const { revision } = reader.header;
    const restored = await importInto(made, { records: reader.records(), revision, bumpBy });
    await check?.(made);
    await refuseUsed(directory);
    if (existsSync(directory)) await rmdir(directory);
    await rename(made, directory);
    await sync(dirname(directory));
    return { header: reader.header, end: reader.end!, revision: restored };
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

async function importInto(directory: string, options: Parameters<typeof importRecords>[1]): Promise<Revision> {
  // Native code, which a store in memory does without.
  const { JournaledEngine } = await import('../engine/journaled-engine.ts');
  const engine = await JournaledEngine.open(directory);
  try {
    return await importRecords(engine, options);
  } finally {
    await engine.close();
  }
}

async function refuseUsed(directory: string): Promise<void> {
  if (existsSync(directory) && (await readdir(directory)).length > 0) throw new BackupError({ code: 'NotEmpty' });
}

/** Makes the new name safe. Windows cannot open folders, and has no need to. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(directory, 'r');
  await folder.sync().finally(() => folder.close());
}
