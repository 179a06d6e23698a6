import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPintle, stopPintle } from '../helpers/pintle.ts';

const folder = join(import.meta.dirname, '..', '..', 'packages', 'operator');

test('what the README says of resources and webhooks runs as a program, and prints what it says', async () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const sections = readme.slice(readme.indexOf('## Resources'));
  const script = [...sections.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block).join('\n');
  const promised = [...script.matchAll(/console\.log\(.*\)\)?; \/\/ (.*)/g)].map(([, text]) => text);
  const pintle = await startPintle('--memory');
  try {
    const env = { ...process.env, KUBECONFIG: pintle.kubeconfig };
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    await once(child, 'close');
    expect(printed.trim().split('\n')).toEqual(promised);
    expect(promised).toHaveLength(3);
  } finally {
    pintle.client.close();
    await stopPintle(pintle);
  }
});
