import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../usage-error.ts';

/**
 * Writes a file that is for its owner alone; whoever reads it sees all of the old or all of the new, also after a loss of
 * power. Resolves once the file is safe on the disk.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  // The name is new, so that no file that lies there already lends its mode, its owner or its target.
  const made = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    await writeSynced(made, text);
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw explained(path, error);
  }
  await syncFolder(dirname(path));
}

/** A disk that is full is for the person at the keyboard to mend. */
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

/** The name of a file is safe once its folder is. Windows cannot open folders, and has no need to. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Reads a file that holds keys; `undefined` when there is none. Refuses one that others can read, or have made. */
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
      throw new UsageError(`Cannot use ${path}: it holds keys and others may read it. Run: chmod 600 ${path}`);
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Makes a folder for files with keys, when there is none. One that others may write to is closed to them when it is ours;
 * else, and when it belongs to another user than us or root, it is refused: they could put keys of their own there.
 */
export async function openPrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await stat(path);
  requireOwn(path, found);
  if (process.platform === 'win32' || (found.mode & 0o022) === 0) return;
  if (found.uid === process.getuid?.()) await chmod(path, found.mode & 0o7755);
  else if ((found.mode & 0o002) !== 0) {
    throw new UsageError(`Cannot keep keys in ${path}: every user may write there. Choose a folder of your own.`);
  }
}

function requireOwn(path: string, { uid }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined || uid === own || uid === 0) return;
  throw new UsageError(
    `Cannot use ${path}: it belongs to user ${uid}, and this is user ${own}. Run: chown ${own} ${path}`,
  );
}
