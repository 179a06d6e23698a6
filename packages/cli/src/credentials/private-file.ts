import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';

/**
 * Writes a file that only its owner can read. Readers see the old or the new content as a whole, also after a power loss.
 * Resolves once the file is durable.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  // A new name, so that the mode, owner or link target of an existing file is not used.
  const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    await writeSynced(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw explained(path, error);
  }
  await syncFolder(dirname(path));
}

/** Turns the error of a full disk, which the user can fix, into a UsageError. */
function explained(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new UsageError(`Cannot write ${path}: no space is left on the disk. Free some and start again.`, {
    cause: error,
  });
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the name of a file durable. Windows cannot open folders and needs no sync. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Reads a file of keys; `undefined` when it does not exist. Throws UsageError when others can read it, or own it. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    requireOwn(path, found);
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new UsageError(`Cannot use ${path}: other users may read the keys in it. Run: chmod 600 ${path}`);
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Creates a folder for files with keys, unless it exists. Removes the write permission of others from a folder of this user.
 * Throws UsageError for other folders that all users may write to, or that belong to a user other than root: their owners
 * could replace the keys.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await stat(path);
  requireOwn(path, found);
  if (process.platform === 'win32' || (found.mode & 0o022) === 0) return;
  if (found.uid === process.getuid?.()) await chmod(path, found.mode & 0o7755);
  else if ((found.mode & 0o002) !== 0) {
    throw new UsageError(`Cannot keep keys in ${path}: all users may write to it. Choose another folder.`);
  }
}

function requireOwn(path: string, { uid }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined || uid === own || uid === 0) return;
  throw new UsageError(`Cannot use ${path}: it belongs to user ${uid}, not to user ${own}. Run: chown ${own} ${path}`);
}
