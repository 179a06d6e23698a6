import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useSocketCluster } from '../helpers/cluster.ts';

const cluster = useSocketCluster();
const folder = join(import.meta.dirname, '..', '..', 'packages', 'client');

test('the lines that the README of the client opens with run, and print what they say', async () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, script = ''] = /```ts\n(.*?)```/s.exec(readme)!;
  const promised = [...script.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text);
  const env = { ...process.env, KUBECONFIG: cluster().kubeconfig };
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await once(child, 'close');
  expect(printed.trim().split('\n')).toEqual(promised);
});
