import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { UsageError } from '../usage-error.ts';

/** Writes a file that is for its owner alone; whoever reads it sees all of the old or all of the new. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flag: 'w' });
  await rename(`${path}.new`, path);
}

/** Reads a file that holds keys; `undefined` when there is none. Refuses one that others can read. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(`Cannot use ${path}: it holds keys and others may read it. Run: chmod 600 ${path}`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
