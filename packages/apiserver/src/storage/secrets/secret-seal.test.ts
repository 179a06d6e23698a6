import { SteppedClock } from '@pintle/async';
import type { Store } from '@pintle/store';
import { MemoryDisk, openMemoryStore } from '@pintle/store';
import { expect, test } from 'vitest';
import { checkSecretKeys, resealSecrets, writeKeyCheck } from './reseal.ts';
import type { SecretKeys } from './secret-keys.ts';
import { createSecretKey, parseSecretKeys, printSecretKeys } from './secret-keys.ts';
import { SecretSeal } from './secret-seal.ts';

const KEY = 'core/secrets/default/token';
const PASSWORD = Buffer.from('\x01hunter2-hunter2-hunter2');
const newKeys = (): SecretKeys => [createSecretKey()];
const open = (disk: MemoryDisk, keys?: SecretKeys): Promise<Store> =>
  openMemoryStore({ clock: new SteppedClock(), disk, ...(keys && { seal: new SecretSeal(keys) }) });

test('a Secret comes back as it was written, and nothing of it lies on the disk', async () => {
  const disk = new MemoryDisk();
  const keys = newKeys();
  await using store = await open(disk, keys);
  const watch = store.watch({ start: 'core/secrets/' });
  await store.commit([
    { type: 'put', key: KEY, value: PASSWORD },
    { type: 'put', key: 'core/configmaps/default/plain', value: PASSWORD },
  ]);
  expect(Buffer.from((await store.get(KEY))!.value)).toEqual(PASSWORD);
  const { value: batch } = await watch.next();
  expect(batch!.events[0]).toMatchObject({ type: 'put', record: { key: KEY } });
  await using bare = await open(disk);
  const kept = Buffer.from((await bare.get(KEY))!.value);
  expect(kept.includes('hunter2')).toBe(false);
  expect(Buffer.from((await bare.get('core/configmaps/default/plain'))!.value)).toEqual(PASSWORD);
  await using again = await open(disk, keys);
  expect(Buffer.from((await again.get(KEY))!.value)).toEqual(PASSWORD);
});

test('no two values are encrypted alike, in one run or in several', () => {
  const keys = newKeys();
  const seen = new Set<string>();
  for (let run = 0; run < 20; run++) {
    const seal = new SecretSeal(keys);
    for (let i = 0; i < 200; i++) {
      const kept = Buffer.from(seal.seal(KEY, PASSWORD));
      // Salt and nonce.
      seen.add(kept.toString('hex', 9, 37));
    }
  }
  expect(seen.size).toBe(4_000);
});

test('a value opens nowhere but at its own key, and not when a bit of it is changed', () => {
  const seal = new SecretSeal(newKeys());
  const kept = Buffer.from(seal.seal(KEY, PASSWORD));
  expect(Buffer.from(seal.open(KEY, kept))).toEqual(PASSWORD);
  expect(() => seal.open('core/secrets/default/other', kept)).toThrow('with another key or for another storage key');
  for (let at = 1; at < kept.length; at++) {
    const changed = Buffer.from(kept);
    changed[at]! ^= 1;
    expect(() => seal.open(KEY, changed)).toThrow('it is encrypted');
  }
  expect(() => seal.open(KEY, kept.subarray(0, 30))).toThrow('truncated');
});

test('another key is refused by name, before anything is read', async () => {
  const disk = new MemoryDisk();
  const [key, other] = [createSecretKey(), createSecretKey()];
  await using store = await open(disk, [key]);
  expect(await checkSecretKeys(store)).toBe('new');
  await writeKeyCheck(store);
  expect(await checkSecretKeys(store)).toBe('fit');
  await using wrong = await open(disk, [other]);
  const why = `Cannot read Secrets: they are encrypted with the key ${key.id}, but only ${other.id} is available`;
  await expect(checkSecretKeys(wrong)).rejects.toThrow(why);
  await using forged = await open(disk, [{ id: key.id, secret: other.secret }]);
  await expect(checkSecretKeys(forged)).rejects.toThrow('with another key or for another storage key');
});

test('after a rotation the old key is needed by nothing, and what lay open is encrypted', async () => {
  const disk = new MemoryDisk();
  const [old, young] = [createSecretKey(), createSecretKey()];
  const key = (i: number): string => `core/secrets/default/s-${String(i).padStart(3, '0')}`;
  const put = async (store: Store, i: number): Promise<void> =>
    void (await store.commit([{ type: 'put', key: key(i), value: Buffer.concat([PASSWORD, Buffer.from(`${i}`)]) }]));
  {
    await using bare = await open(disk);
    for (let i = 0; i < 120; i++) await put(bare, i);
  }
  {
    await using store = await open(disk, [old]);
    await writeKeyCheck(store);
    for (let i = 120; i < 250; i++) await put(store, i);
  }
  {
    await using store = await open(disk, [young, old]);
    expect(await resealSecrets(store)).toBe(250);
  }
  await using store = await open(disk, [young]);
  expect(await checkSecretKeys(store)).toBe('fit');
  for (let i = 0; i < 250; i++) expect(Buffer.from((await store.get(key(i)))!.value).toString()).toMatch(`hunter2${i}`);
  await using bare = await open(disk);
  expect((await bare.get(key(0)))!.value[0]).toBe(2);
});

test('key files are read back, and broken ones refused without telling keys', () => {
  const keys: SecretKeys = [createSecretKey(), createSecretKey()];
  expect(parseSecretKeys(printSecretKeys(keys)).map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
  expect(() => parseSecretKeys('hunter2')).toThrow('Cannot read keys: the file is not JSON');
  expect(() => parseSecretKeys('{"keys":[]}')).toThrow('the file has no keys');
  expect(() => parseSecretKeys('{"keys":[{"id":"0011223344556677","secret":"aHVudGVyMg=="}]}')).toThrow('32 bytes');
  expect(() => parseSecretKeys(printSecretKeys([keys[0], keys[0]]))).toThrow('the same id');
});
