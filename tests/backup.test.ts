import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Client, inFolder, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

test('a running server is backed up, and what is restored goes on with later revisions', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const file = join(folder, 'all.backup');
    const first = await startPintle('--data', data);
    await created(first.client, MAPS, { metadata: { name: 'kept' }, data: { weight: '7' } });
    await created(first.client, SECRETS, { metadata: { name: 'login' }, stringData: { password: 'sweet-and-secret' } });
    const kept = await read(first.client, `${MAPS}/kept`);
    expect(await runs('backup', file, '--data', data)).toMatch(/Wrote \S+all\.backup: \d+ objects at revision \d+/);
    const later = (await created(first.client, MAPS, { metadata: { name: 'later' } })).metadata;
    expect(await stopPintle(first)).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file);
    for (const text of ['sweet-and-secret', Buffer.from('sweet-and-secret').toString('base64')])
      expect(bytes.includes(text)).toBe(false);

    const restored = join(folder, 'restored');
    expect(await fails('restore', file, '--data', restored)).toContain('the file with their keys is missing');
    expect(existsSync(join(restored, 'store'))).toBe(false);
    await mkdir(restored, { recursive: true });
    copyFileSync(join(data, 'secrets.key'), join(restored, 'secrets.key'));
    expect(await runs('restore', file, '--data', restored)).toContain('pintle up --data');
    expect(await fails('restore', file, '--data', restored)).toContain('there is a store already');

    const second = await startPintle('--data', restored);
    try {
      expect(await read(second.client, `${MAPS}/kept`)).toEqual(kept);
      const secret = await read(second.client, `${SECRETS}/login`);
      expect(Buffer.from(secret.data.password, 'base64').toString()).toBe('sweet-and-secret');
      expect((await second.client.send('GET', `${MAPS}/later`)).status).toBe(404);
      const changed = (await created(second.client, MAPS, { metadata: { name: 'new' } })).metadata;
      expect(Number(changed.resourceVersion)).toBeGreaterThan(Number(later.resourceVersion));
      const old = `${MAPS}?watch=1&resourceVersion=${later.resourceVersion}`;
      expect((await second.client.send('GET', old)).text).toContain('Expired');
    } finally {
      await stopPintle(second);
    }
  }));

test('a stopped server is backed up from its folder, and a damaged backup restores nothing', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const file = join(folder, 'all.backup');
    const server = await startPintle('--data', data);
    await created(server.client, MAPS, { metadata: { name: 'kept' } });
    await stopPintle(server);
    // In a folder that others write to, a file or a link may be there before.
    writeFileSync(join(folder, 'other file'), 'kept');
    symlinkSync(join(folder, 'other file'), `${file}.partial`);
    expect(await runs('backup', file, '--data', data)).toContain('objects at revision');
    expect([readFileSync(join(folder, 'other file'), 'utf8'), lstatSync(file).isFile()]).toEqual(['kept', true]);
    expect(await fails('backup', file, '--data', data)).toContain('exists already');
    expect(await fails('backup', join(folder, 'other'), '--data', folder)).toContain('holds no store');
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(file, bytes);
    expect(await fails('restore', file, '--data', join(folder, 'restored'))).toContain('checksum');
    expect(existsSync(join(folder, 'restored', 'store'))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes('restoring'))).toEqual([]);
  }));

test('only those who may list every object get a backup, whatever paths they may get', () =>
  inFolder(async (folder) => {
    const tokens = join(folder, 'tokens');
    writeFileSync(tokens, 'a-token-of-ann,ann,1\n');
    const server = await startPintle(
      '--memory',
      '--kubeconfig',
      join(folder, 'kubeconfig'),
      '--token-auth-file',
      tokens,
    );
    try {
      writeFileSync(join(folder, 'ann'), withToken(readFileSync(server.kubeconfig, 'utf8'), 'a-token-of-ann'));
      const file = join(folder, 'stolen');
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'paths' };
      await created(server.client, `${rbac}/clusterroles`, {
        metadata: { name: 'paths' },
        rules: [
          { nonResourceURLs: ['*'], verbs: ['*'] },
          { apiGroups: [''], resources: ['*'], verbs: ['*'] },
        ],
      });
      expect(await fails('backup', file, '--kubeconfig', join(folder, 'ann'))).toContain('may not get /pintle/backup');
      await created(server.client, `${rbac}/clusterrolebindings`, {
        metadata: { name: 'paths' },
        roleRef,
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
      });
      expect(await fails('backup', file, '--kubeconfig', join(folder, 'ann'))).toContain('may not get /pintle/backup');
      expect(existsSync(file)).toBe(false);
      expect(await runs('backup', file, '--kubeconfig', server.kubeconfig)).toContain('objects at revision');
    } finally {
      await stopPintle(server);
    }
  }));

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind.
async function created(client: Client, path: string, object: object): Promise<any> {
  const { status, text } = await client.send('POST', path, object);
  expect([status, text]).toEqual([201, expect.anything()]);
  return JSON.parse(text);
}

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind.
async function read(client: Client, path: string): Promise<any> {
  return JSON.parse((await client.send('GET', path)).text);
}

/** Replaces the certificate of the user by a token. */
function withToken(kubeconfig: string, token: string): string {
  return kubeconfig
    .replace(/^(\s*)client-certificate-data:.*$/m, `$1token: ${token}`)
    .replace(/^\s*client-key-data:.*\n/m, '');
}

async function runs(...args: string[]): Promise<string> {
  const pintle = spawnPintle(...args);
  expect([await pintle.exited, pintle.output()]).toEqual([0, expect.anything()]);
  return pintle.output();
}

async function fails(...args: string[]): Promise<string> {
  const pintle = spawnPintle(...args);
  expect([await pintle.exited, pintle.output()]).toEqual([1, expect.anything()]);
  return pintle.output();
}
