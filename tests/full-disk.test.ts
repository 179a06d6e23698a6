import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Client, inFolder, printed, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** Runs with a disk of this size. Needs the right to mount. */
async function onDisk(size: string, run: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    expect(mount(folder, size)).toBe(true);
    try {
      await run(folder);
    } finally {
      spawnSync('umount', ['--lazy', folder]);
    }
  });
}

function mount(folder: string, size: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0;
}

async function canMount(): Promise<boolean> {
  let isMounted = false;
  await inFolder(async (folder) => {
    isMounted = mount(folder, '64k');
    spawnSync('umount', ['--lazy', folder]);
  });
  return isMounted;
}

/** Takes every byte that is left. */
function fill(folder: string): void {
  const file = openSync(join(folder, 'other'), 'w');
  for (let bytes = 1024 * 1024; bytes > 0; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  }
  closeSync(file);
  expect(statfsSync(folder).bavail).toBe(0);
}

test('pintle up starts again on a full disk, and deletes there', async (context) => {
  context.skip(!(await canMount()), 'a small disk cannot be mounted here');
  await onDisk('64m', async (folder) => {
    const data = join(folder, 'data');
    const first = await startPintle('--data', data);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };
    expect((await first.client.send('POST', MAPS, body)).status).toBe(201);
    first.client.close();
    await stopPintle(first);

    fill(folder);
    const second = spawnPintle('up', '--port', String(first.client.port), '--data', data);
    await printed(second, /Press Ctrl-C to stop/);
    const client = new Client(first.kubeconfig);
    expect((await client.send('GET', `${MAPS}/kept`)).status).toBe(200);
    expect((await client.send('DELETE', `${MAPS}/kept`)).status).toBe(200);
    client.close();
    await stopPintle(second);
  });
});

test('pintle up says in one line that there is no space for its files', async (context) => {
  context.skip(!(await canMount()), 'a small disk cannot be mounted here');
  await onDisk('4k', async (folder) => {
    fill(folder);
    for (const args of [
      ['--memory', '--kubeconfig', join(folder, 'config')],
      ['--data', folder],
    ]) {
      const pintle = spawnPintle('up', '--port', '0', ...args);
      expect(await pintle.exited).toBe(1);
      expect(pintle.output().trim()).toMatch(/^[^\n]*Cannot write \S+: no space is left on the disk[^\n]*$/);
    }
  });
});
