import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { etcdVersions, findEtcd } from '@pintle/store-etcd/testing';
import { expect, test } from 'vitest';

const binary = findEtcd(etcdVersions[0]!);
const main = join(import.meta.dirname, '..', '..', 'examples', 'ha', 'dist', 'main.js');
const CALM = 'wait 1';

test.skipIf(binary === undefined)(
  'examples/ha loses no acknowledged write while a server, a member of etcd and a controller manager are killed',
  { timeout: 240_000 },
  async () => {
    const commands = [
      ...[CALM, 'kill server 1', CALM, 'start server 1', 'kill etcd 2', CALM, 'start etcd 2'],
      ...['kill controllers 1', CALM, 'stop server 2', CALM, 'status'],
    ];
    const flags = ['--writes=20', '--informers=6', `--do=${commands.join(', ')}`];
    const child = spawn(process.execPath, [main, ...flags], { env: { ...process.env, ETCD_BIN: binary } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    expect(code, output).toBe(0);
    const seen = JSON.parse(output.trim().split('\n').at(-1)!);
    expect(seen, output).toMatchObject({ lost: 0, different: 0 });
    expect(seen.acknowledged, output).toBeGreaterThan(20);
    expect(seen.lists, output).toBe(0);
    expect(output).toContain('server 2 is stopped');
  },
);
