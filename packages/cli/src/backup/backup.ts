import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { realClock, systemRandom } from '@pintle/async';
import { ConfigTransport, loadConfig } from '@pintle/client';
import { StoreError } from '@pintle/store';
import { BackupError, BackupReader, writeBackup } from '@pintle/store/backup';
import { syncFolder } from '../credentials/private-file.ts';
import { BACKUP_PATH } from '../serve/control-plane.ts';
import { openSealedStore, SECRETS_KEY_FILE } from '../serve/sealed-store.ts';
import { UsageError } from '../usage-error.ts';

export interface BackupFlags {
  readonly data: string;
  readonly secretsKeyFile?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** `pintle backup`: writes all objects into one file, of a server that runs, or of a folder that no server has open. */
export async function backup(file: string, flags: BackupFlags): Promise<void> {
  const path = resolve(file);
  if (existsSync(path)) throw new UsageError(`Cannot write backup: ${path} exists already`);
  const isRemote = flags.kubeconfig !== undefined || flags.context !== undefined;
  const writing = isRemote ? writeFile(path, fromServer(flags)) : backupFolder(path, flags);
  const written = await writing.catch((error: unknown) => {
    throw error instanceof BackupError ? new UsageError(error.message) : error;
  });
  const { records, revision, damagedKeys } = written;
  process.stdout.write(`Wrote ${path}: ${records} objects at revision ${revision}\n`);
  process.stdout.write(`Keep ${SECRETS_KEY_FILE} apart from it: Secrets cannot be read without their keys\n`);
  if (damagedKeys.length > 0)
    throw new UsageError(`Left out ${damagedKeys.length} damaged objects: ${damagedKeys.join(', ')}`);
}

async function backupFolder(path: string, { data, secretsKeyFile }: BackupFlags): Promise<Verified> {
  const folder = join(resolve(data), 'store');
  if (!existsSync(folder)) throw new UsageError(`Cannot write backup: ${resolve(data)} holds no store`);
  const keyFile = resolve(secretsKeyFile ?? join(data, SECRETS_KEY_FILE));
  const opened = await openSealedStore(folder, keyFile).catch((error: unknown) => {
    if (isLocked(error)) return undefined;
    throw error;
  });
  if (opened === undefined) return await writeFile(path, fromServer({ kubeconfig: join(data, 'kubeconfig') }));
  await using store = opened.store;
  return await writeFile(path, writeBackup(store, { ...opened.backupSeal, now: new Date(realClock.now()) }));
}

/** A server has the folder open: it is asked instead. */
function isLocked(error: unknown): boolean {
  const { cause } = error as Error;
  return cause instanceof StoreError && cause.failure.code === 'Locked';
}

async function* fromServer({
  kubeconfig,
  context,
}: Pick<BackupFlags, 'kubeconfig' | 'context'>): AsyncGenerator<Uint8Array> {
  const config = await loadConfig({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  const transport = new ConfigTransport(config, { clock: realClock });
  try {
    const { status, body } = await transport.send({
      method: 'GET',
      path: BACKUP_PATH,
      headers: { 'user-agent': 'pintle-backup' },
    });
    if (status !== 200) throw new UsageError(`Cannot write backup: ${refusal(status)}`);
    if (body instanceof Uint8Array) yield body;
    else yield* body;
  } finally {
    await transport.close();
  }
}

function refusal(status: number): string {
  if (status === 404) return 'the server is not a Pintle that makes backups';
  if (status === 403) return `the user of the kubeconfig may not get ${BACKUP_PATH}`;
  return `the server answered ${status}`;
}

/** Writes a file for its owner alone, which appears when it is complete, verified and safe on the disk. */
async function writeFile(path: string, parts: AsyncIterable<Uint8Array>): Promise<Verified> {
  // Another user, who could guess the name, could make the file before and read it.
  const partial = `${path}.${systemRandom.uuid()}.partial`;
  const file = await open(partial, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    const arriving = writtenTo(file, parts);
    // A server that sends something else is left at its first part.
    await verify(arriving).finally(() => arriving.return(undefined));
    await file.sync();
    await file.close();
    const verified = await verify(createReadStream(partial));
    await rename(partial, path);
    await syncFolder(dirname(path));
    return verified;
  } catch (error) {
    await file.close();
    await rm(partial, { force: true });
    throw error;
  }
}

async function* writtenTo(file: FileHandle, parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const part of parts) {
    await file.write(part);
    yield part;
  }
}

interface Verified {
  readonly revision: number;
  readonly records: number;
  readonly damagedKeys: readonly string[];
}

/** Reads all of a backup. Throws BackupError when anything is wrong with it. */
async function verify(source: AsyncIterable<Uint8Array>): Promise<Verified> {
  const reader = await BackupReader.open(source);
  for await (const _ of reader.records());
  return { revision: reader.header.revision, ...reader.end! };
}
