import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from './private-file.ts';

const isRoot = process.getuid?.() === 0;
let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pintle-private-'));
  path = join(folder, 'keys');
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe('A private file', () => {
  test('is for its owner alone, whatever a file left behind allows', async () => {
    await writeFile(`${path}.new`, 'left behind');
    await chmod(`${path}.new`, 0o666);
    await writePrivateFile(path, 'secret');
    expect(await modeOf(path)).toBe(0o600);
    expect(await readFile(`${path}.new`, 'utf8')).toBe('left behind');
  });

  test('is safe on the disk before it has its name, and its name after', async () => {
    const handle = await open(folder, 'r');
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const wasThere: boolean[] = [];
    const { sync } = prototype;
    const spy = vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
      wasThere.push(existsSync(path));
      return sync.call(this);
    });
    try {
      await writePrivateFile(path, 'secret');
    } finally {
      spy.mockRestore();
    }
    expect(wasThere).toEqual([false, true]);
  });

  test('is for its owner alone, whatever the file it replaces allowed', async () => {
    await writeFile(path, 'old');
    await chmod(path, 0o666);
    await writePrivateFile(path, 'secret');
    expect(await modeOf(path)).toBe(0o600);
    expect(await readPrivateFile(path)).toBe('secret');
  });

  test('is not written through a link that somebody laid', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'theirs');
    await symlink(elsewhere, `${path}.new`);
    await symlink(elsewhere, path);
    await writePrivateFile(path, 'secret');
    expect(await readFile(elsewhere, 'utf8')).toBe('theirs');
  });

  test('leaves nothing behind when it cannot be put in its place', async () => {
    await expect(writePrivateFile(join(folder, 'none', 'keys'), 'secret')).rejects.toThrow('ENOENT');
    await rm(path, { force: true });
    await openPrivateFolder(path);
    await expect(writePrivateFile(path, 'secret')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['keys']);
  });

  test.runIf(isRoot)('is refused when another user made it', async () => {
    await writePrivateFile(path, 'theirs');
    await chown(path, 12345, 12345);
    await expect(readPrivateFile(path)).rejects.toThrow('it belongs to user 12345');
  });
});

describe('A private folder', () => {
  test('is made for its owner alone', async () => {
    await openPrivateFolder(path);
    expect(await modeOf(path)).toBe(0o700);
  });

  test('is closed to those who could write there', async () => {
    await openPrivateFolder(path);
    await chmod(path, 0o777);
    await openPrivateFolder(path);
    expect(await modeOf(path)).toBe(0o755);
  });

  test.runIf(isRoot)('is refused when it is another user’s', async () => {
    await openPrivateFolder(path);
    await chown(path, 12345, 12345);
    await expect(openPrivateFolder(path)).rejects.toThrow('it belongs to user 12345');
  });
});
