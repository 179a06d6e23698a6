import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backup } from './backup.ts';

/** Calls back with a kubeconfig for a server that answers as it says. */
async function withServer(
  answer: RequestListener,
  use: (folder: string, kubeconfig: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pintle-backup-'));
  const server = createServer(answer).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const named = { clusters: [{ name: 'a', cluster: { server: url } }], users: [{ name: 'a', user: {} }] };
    const config = {
      ...named,
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    };
    writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
    await use(folder, join(folder, 'kubeconfig'));
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}

test('a server that sends something else without end is left at once, and nothing stays', async () => {
  let sent = 0;
  const endless: RequestListener = (_request, response) => {
    const send = (): void => {
      // Without a bound, a test that fails would fill the disk.
      while (sent < 50_000_000 && !response.destroyed) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536))) return;
      }
      response.end();
    };
    response.on('drain', send);
    send();
  };
  await withServer(endless, async (folder, kubeconfig) => {
    const backingUp = backup(join(folder, 'all.backup'), { data: folder, kubeconfig });
    await expect(backingUp).rejects.toMatchObject({
      name: 'UsageError',
      message: 'Cannot read backup: the file is not a backup of Pintle',
    });
    expect(sent).toBeLessThan(10_000_000);
    expect(readdirSync(folder)).toEqual(['kubeconfig']);
  });
});
