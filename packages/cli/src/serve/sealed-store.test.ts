import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSealedStore } from './sealed-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-sealed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a store that cannot be read is told of in words, with what to do about it', async () => {
  const [store, keys] = [join(folder, 'store'), join(folder, 'secrets.key')];
  await (await openSealedStore(store, keys)).store.close();
  for (const name of ['journal.0', 'journal.1', 'data.mdb'])
    writeFileSync(join(store, name), 'nothing of ours'.repeat(1000));
  await expect(openSealedStore(store, keys)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/^Cannot read the store: .*docs\/backup-and-repair\.md/),
  });
});
