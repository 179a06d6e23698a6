import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from './helpers/pintle.ts';
import { inFolder, startPintle, stopPintle } from './helpers/pintle.ts';

const ROUNDS = 3;
const WRITERS = 8;
const WRITES_BEFORE_KILL = 100;
const MAPS = '/api/v1/namespaces/default/configmaps';

/** Every line of these files that is whole. */
function readLogs(folder: string, pattern: RegExp): string {
  const names = readdirSync(folder).filter((name) => pattern.test(name));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}

test('with --audit-log-mode=blocking every write that was acknowledged is in the audit log after a kill', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const acknowledged = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const pintle = await startPintle('--data', data, '--audit-log-mode', 'blocking');
      const before = acknowledged.size;
      const onWrite = (): void => {
        if (acknowledged.size - before === WRITES_BEFORE_KILL) pintle.process.kill('SIGKILL');
      };
      const write = (i: number) => create(pintle.client, `r${round}-w${i}`, acknowledged, onWrite);
      await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)));
      expect(await pintle.exited).toBe('SIGKILL');
      pintle.client.close();
    }
    const audited = new Set<string>();
    for (const line of readLogs(data, /^audit(-2.*)?\.log$/).split('\n')) {
      const event = parse(line);
      if (event?.verb === 'create' && event.responseStatus?.code === 201) audited.add(event.objectRef?.name ?? '');
    }
    expect([...acknowledged].filter((name) => !audited.has(name))).toEqual([]);
  }));

test('no number of requests of strangers takes an event of a user out of the audit log', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const pintle = await startPintle('--data', data, '--audit-log-mode', 'blocking');
    const { client } = pintle;
    expect((await client.send('POST', MAPS, configMap('marker'))).status).toBe(201);
    const sizeBefore = readLogs(data, /^audit\.log$/).split('stranger').length;
    const ask = (path: string, headers: Record<string, string>): Promise<void> =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: client.port, path, headers, rejectUnauthorized: false };
        get(options, (response) => response.resume().on('end', resolve)).on('error', reject);
      });
    for (let i = 0; i < 10; i++) {
      await ask(`/healthz?stranger${'a'.repeat(7_000)}`, {});
      await ask(`/api/v1/pods?stranger${'a'.repeat(7_000)}`, {});
      await ask(`/healthz?stranger${'a'.repeat(7_000)}`, { authorization: 'Bearer wrong' });
    }
    expect(readLogs(data, /^audit(-2.*)?\.log$/).split('stranger')).toHaveLength(sizeBefore);
    expect(readLogs(data, /^audit(-2.*)?\.log$/)).toContain('"marker"');
    // Those who only asked how the server is left no event; those who were refused did.
    const strangers = readLogs(data, /^audit-anonymous/)
      .trim()
      .split('\n')
      .map(parse);
    expect(strangers.filter((event) => event?.responseStatus?.code === 401)).toHaveLength(10);
    expect(strangers.filter((event) => event?.user?.username === 'system:anonymous')).toHaveLength(10);
    client.close();
    expect(await stopPintle(pintle)).toBe(0);
  }));

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** Creates objects until the server is gone; notes each once it is acknowledged. */
async function create(client: Client, prefix: string, acknowledged: Set<string>, onWrite: () => void): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${prefix}-${i}`;
    const answer = await client.send('POST', MAPS, configMap(name)).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(201);
    acknowledged.add(name);
    onWrite();
  }
}

interface Event {
  readonly verb?: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: { readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** `undefined` for a line that a kill cut short. */
function parse(line: string): Event | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
