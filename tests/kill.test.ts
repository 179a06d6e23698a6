import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Client } from './helpers/pintle.ts';
import { inFolder, startPintle, stopPintle } from './helpers/pintle.ts';

const ROUNDS = 3;
const WRITERS = 8;
const WRITES_BEFORE_KILL = 60;
const MAPS = '/api/v1/namespaces/default/configmaps';

test('every write that was acknowledged is there after a kill', () =>
  inFolder(async (folder) => {
    const data = join(folder, 'data');
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      const pintle = await startPintle('--data', data);
      await expectAll(pintle.client, acknowledged);
      let writes = 0;
      const onWrite = (): void => {
        if (++writes === WRITES_BEFORE_KILL) pintle.process.kill('SIGKILL');
      };
      const writers = Array.from({ length: WRITERS }, (_, i) =>
        write(pintle.client, `r${round}-w${i}`, acknowledged, onWrite),
      );
      await Promise.all(writers);
      expect(await pintle.exited).toBe('SIGKILL');
      pintle.client.close();
    }
    const last = await startPintle('--data', data);
    await expectAll(last.client, acknowledged);
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS);
    last.client.close();
    expect(await stopPintle(last)).toBe(0);
  }));

/** Creates objects and updates them until the server is gone; notes each write once it is acknowledged. */
async function write(
  client: Client,
  prefix: string,
  acknowledged: Map<string, string>,
  onWrite: () => void,
): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `${prefix}-${i >> 1}`;
    const value = String(i);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
    const isNew = i % 2 === 0;
    const answer = await client
      .send(isNew ? 'POST' : 'PUT', isNew ? MAPS : `${MAPS}/${name}`, object)
      .catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBeLessThan(300);
    acknowledged.set(name, value);
    onWrite();
  }
}

/** A write that was under way when the server died may be there or not; one that was acknowledged must be. */
async function expectAll(client: Client, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const { items } = JSON.parse((await client.send('GET', MAPS)).text);
  const found = new Map<string, string>(items.map((item: Item) => [item.metadata.name, item.data.value]));
  for (const [name, value] of acknowledged) {
    expect(Number(found.get(name)), name).toBeGreaterThanOrEqual(Number(value));
  }
}

interface Item {
  readonly metadata: { readonly name: string };
  readonly data: { readonly value: string };
}
