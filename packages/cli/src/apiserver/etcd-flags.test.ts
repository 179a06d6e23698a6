import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdOf } from './etcd-flags.ts';
import { parseFlags } from './flags.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pintle-etcd-flags-'));
  for (const name of ['ca', 'crt', 'key']) await writeFile(join(folder, name), name.toUpperCase());
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const read = (...args: string[]) => etcdOf(parseFlags(args.map((arg) => arg.replace('DIR', folder))));

test('without --etcd-servers there is no etcd', async () => {
  expect(await read('--etcd-prefix=/a')).toBeUndefined();
  await expect(read('--encryption-provider-config=DIR/ca')).rejects.toThrow('without --etcd-servers');
});

test('servers, a prefix and an interval are read as kube-apiserver reads them', async () => {
  expect(await read('--etcd-servers=http://a:2379,http://b:2379')).toEqual({
    endpoints: ['http://a:2379', 'http://b:2379'],
    prefix: '/registry/',
  });
  for (const prefix of ['registry', '/registry', '/registry/'])
    expect(await read('--etcd-servers=http://a:1', `--etcd-prefix=${prefix}`)).toMatchObject({ prefix: '/registry/' });
  expect(await read('--etcd-servers=http://a:1', '--etcd-compaction-interval=90s')).toMatchObject({
    compactionIntervalMs: 90_000,
  });
});

test('certificates are read from their files', async () => {
  const args = ['--etcd-servers=https://a:1', '--etcd-cafile=DIR/ca', '--etcd-certfile=DIR/crt'];
  expect(await read(...args, '--etcd-keyfile=DIR/key')).toMatchObject({ tls: { ca: 'CA', cert: 'CRT', key: 'KEY' } });
  await expect(read(...args)).rejects.toThrow('without the other');
  await expect(read('--etcd-servers=https://a:1', '--etcd-cafile=DIR/none')).rejects.toThrow(
    'Cannot read --etcd-cafile',
  );
});

test.each([
  ['no server', ['--etcd-servers=,']],
  ['an empty prefix', ['--etcd-servers=http://a:1', '--etcd-prefix=/']],
  ['certificates for plain text', ['--etcd-servers=http://a:1', '--etcd-cafile=DIR/ca']],
  ['an interval that is none', ['--etcd-servers=http://a:1', '--etcd-compaction-interval=soon']],
])('%s is refused', async (_, args) => {
  await expect(read(...args)).rejects.toThrow('Cannot use --etcd');
});
