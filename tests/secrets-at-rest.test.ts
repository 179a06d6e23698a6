import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inFolder, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const PASSWORD = 'correct-horse-battery-staple';
const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { password: PASSWORD },
});
const ENCODED = Buffer.from(PASSWORD).toString('base64');

/** Everything the store has on the disk. */
const diskOf = (data: string): Buffer => readFileSync(join(data, 'store', 'data.mdb'));

async function runs(...args: string[]): Promise<string> {
  const pintle = spawnPintle(...args);
  expect(await pintle.exited, pintle.output()).toBe(0);
  return pintle.output();
}

async function fails(...args: string[]): Promise<string> {
  const pintle = spawnPintle(...args);
  expect(await pintle.exited).toBe(1);
  return pintle.output();
}

test('Secrets are encrypted on the disk, their keys can be rotated, and other keys are refused', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const keyFile = join(data, 'secrets.key');
    const read = async (): Promise<string> => {
      const pintle = await startPintle('--data', data);
      const { text } = await pintle.client.send('GET', `${SECRETS}/s`);
      pintle.client.close();
      expect(await stopPintle(pintle)).toBe(0);
      return text;
    };

    const first = await startPintle('--data', data);
    expect((await first.client.send('POST', SECRETS, secret('s'))).status).toBe(201);
    expect(await fails('keys', 'rotate', '--data', data)).toContain('Stop that server first');
    first.client.close();
    await stopPintle(first);
    expect(diskOf(data).includes(ENCODED)).toBe(false);
    expect(diskOf(data).includes('core/secrets/default/s')).toBe(true);
    expect(statSync(keyFile).mode & 0o077).toBe(0);
    expect(await read()).toContain(ENCODED);

    const before = readFileSync(keyFile, 'utf8');
    expect(await runs('keys', 'rotate', '--data', data)).toContain('Encrypted 1 Secrets');
    expect(JSON.parse(readFileSync(keyFile, 'utf8')).keys).toHaveLength(2);
    expect(await runs('keys', 'rotate', '--data', data, '--forget')).toContain('Encrypted 1 Secrets');
    expect(JSON.parse(readFileSync(keyFile, 'utf8')).keys).toHaveLength(1);
    expect(await read()).toContain(ENCODED);

    const good = readFileSync(keyFile, 'utf8');
    writeFileSync(keyFile, before, { mode: 0o600 });
    const wrong = await fails('up', '--data', data, '--port', '0');
    expect(wrong).toContain('Cannot read Secrets: they are encrypted with the key');
    expect(wrong.trim().split('\n')).toHaveLength(1);
    renameSync(keyFile, join(folder, 'elsewhere'));
    expect(await fails('up', '--data', data, '--port', '0')).toContain('the file with their keys is missing');
    writeFileSync(join(folder, 'elsewhere'), good, { mode: 0o600 });
    const given = await startPintle('--data', data, '--secrets-key-file', join(folder, 'elsewhere'));
    expect((await given.client.send('GET', `${SECRETS}/s`)).text).toContain(ENCODED);
    given.client.close();
    await stopPintle(given);
  }));
