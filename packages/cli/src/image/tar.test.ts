import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TarFile } from './tar-reader.ts';
import type { TarEntry } from './tar-writer.ts';
import { tarChunks } from './tar-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-tar-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LONG = `${'deep/'.repeat(40)}leaf.txt`;
const file = (path: string, text: string, isExecutable = false): TarEntry => ({
  type: 'file',
  path,
  isExecutable,
  read: () => Buffer.from(text),
});
const ENTRIES: readonly TarEntry[] = [
  { type: 'folder', path: 'bin' },
  file('bin/run', '#!/bin/sh\n', true),
  file('früchte/apfel.txt', 'süß'),
  file(LONG, 'x'.repeat(1025)),
  file('empty', ''),
  { type: 'link', path: 'bin/again', target: 'run' },
];

function written(): string {
  const path = join(folder, 'some.tar');
  writeFileSync(path, Buffer.concat([...tarChunks(ENTRIES)]));
  return path;
}

test('other programs unpack what is written, with long names, other letters, modes and links', () => {
  const path = written();
  execFileSync('tar', ['-xf', path, '-C', folder]);
  expect(readFileSync(join(folder, 'früchte/apfel.txt'), 'utf8')).toBe('süß');
  expect(readFileSync(join(folder, LONG)).length).toBe(1025);
  expect(statSync(join(folder, 'bin/run')).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder, 'empty')).mode & 0o777).toBe(0o644);
  expect(readlinkSync(join(folder, 'bin/again'))).toBe('run');
});

test.each(['ustar', 'gnu', 'pax'])('what other programs pack as %s is read', (format) => {
  const inside = join(folder, 'packed');
  execFileSync('sh', ['-c', `mkdir -p "${inside}/${'long-folder/'.repeat(12)}" && echo hi > "$0"`, deepIn(inside)]);
  const path = join(folder, `${format}.tar`);
  execFileSync('tar', [`--format=${format}`, '-cf', path, '-C', inside, '.']);
  using tar = new TarFile(path);
  expect(Buffer.concat([...tar.chunks(deepIn(''))]).toString()).toBe('hi\n');
});

const deepIn = (root: string): string => `${root === '' ? '' : `${root}/`}${'long-folder/'.repeat(12)}file`;

test('what is no archive is told so', () => {
  const path = join(folder, 'no.tar');
  writeFileSync(path, 'hello '.repeat(1000));
  expect(() => new TarFile(path)).toThrow('it is not a tar archive');
  writeFileSync(path, Buffer.concat([...tarChunks(ENTRIES)]).subarray(0, 700));
  expect(() => new TarFile(path)).toThrow('it ends too early');
});

test.each(['-1536', 'abc', '1e300', '0.5'])('an archive with a file of %s bytes is refused', (size) => {
  const [header] = [...tarChunks([file('a', '')])];
  const record = ` size=${size}\n`;
  const pax = [...tarChunks([file('PaxHeaders', `${record.length + 2}${record}`)])];
  // The type of an extended header, and with it another checksum.
  const extended = Buffer.from(pax[0]!);
  extended.write('x', 156);
  extended.write(`${checksumOf(extended).toString(8).padStart(6, '0')}\0 `, 148);
  const path = join(folder, 'size.tar');
  writeFileSync(path, Buffer.concat([extended, ...pax.slice(1, 3), header!, Buffer.alloc(1024)]));
  expect(() => new TarFile(path)).toThrow(/it has a file of .+ bytes/);
});

function checksumOf(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}
