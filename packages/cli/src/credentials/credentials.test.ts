import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCredentials, renewCredentials } from './credentials.ts';
import { serverUrl, writeKubeconfig } from './kubeconfig.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 24 * 60 * 60 * 1000;

test('credentials are made once and renewed by the same authority before they expire', async () => {
  const first = await renewCredentials(undefined, { hosts: [], nowMs: NOW });
  expect(await renewCredentials(first, { hosts: [], nowMs: NOW + 300 * DAY })).toBe(first);

  const later = NOW + 340 * DAY;
  const renewed = await renewCredentials(first, { hosts: [], nowMs: later });
  expect(renewed.authority).toBe(first.authority);
  const authority = new X509Certificate(renewed.authority.certificate);
  for (const { certificate } of [renewed.server, renewed.admin]) {
    const parsed = new X509Certificate(certificate);
    expect(parsed.checkIssued(authority)).toBe(true);
    expect(Date.parse(parsed.validTo)).toBeGreaterThan(later + 300 * DAY);
  }
});

test('a new host gets a new certificate', async () => {
  const first = await renewCredentials(undefined, { hosts: ['10.0.0.1'], nowMs: NOW });
  expect(await renewCredentials(first, { hosts: ['127.0.0.1'], nowMs: NOW })).toBe(first);
  const second = await renewCredentials(first, { hosts: ['10.0.0.2'], nowMs: NOW });
  expect(new X509Certificate(second.server.certificate).checkIP('10.0.0.2')).toBe('10.0.0.2');
});

test('the file is for its owner alone, and refused otherwise', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-credentials-'));
  try {
    const options = { hosts: [], nowMs: NOW };
    const made = await openCredentials(folder, options);
    const path = join(folder, 'credentials.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await openCredentials(folder, options)).toEqual(made);
    await chmod(path, 0o640);
    await expect(openCredentials(folder, options)).rejects.toThrow('chmod 600');
    await chmod(path, 0o600);
    await writeFile(path, '{"authority":');
    await expect(openCredentials(folder, options)).rejects.toThrow('it is damaged');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the address in a kubeconfig is one that can be reached', () => {
  expect(serverUrl('0.0.0.0', 1)).toBe('https://127.0.0.1:1');
  expect(serverUrl('::1', 1)).toBe('https://[::1]:1');
  expect(serverUrl('example.test', 1)).toBe('https://example.test:1');
});

test('a kubeconfig that says the same is kept, unless others may read it; a folder is refused in one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-kubeconfig-'));
  try {
    const { authority, admin } = await renewCredentials(undefined, { hosts: [], nowMs: NOW });
    const path = join(folder, 'config');
    const write = (port: number): Promise<void> =>
      writeKubeconfig(path, { server: serverUrl('127.0.0.1', port), authority: authority.certificate, admin });
    const inode = async (): Promise<number> => (await stat(path)).ino;
    await write(1);
    const first = await inode();
    await write(1);
    expect(await inode()).toBe(first);
    await chmod(path, 0o644);
    await write(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const second = await inode();
    await write(2);
    expect(await inode()).not.toBe(second);
    await rm(path);
    await mkdir(path);
    await expect(write(1)).rejects.toThrow(`Cannot write ${path}: it is a folder`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
