import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { printed, spawnPintle, startPintle, stopPintle } from './helpers/pintle.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const formats = readdirSync(FIXTURES).filter((name) => name.startsWith('data-format-'));
const folder = mkdtempSync(join(tmpdir(), 'pintle-data-format-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Unpacks a data directory that an earlier version left behind when it was killed. */
function unpack(format: string): string {
  for (const name of readdirSync(join(FIXTURES, format))) {
    const path = join(folder, name.replace(/\.gz$/, '').replaceAll('+', '/'));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, gunzipSync(readFileSync(join(FIXTURES, format, name))), { mode: 0o600 });
  }
  return folder;
}

test.each(formats)('%s opens, with all that was acknowledged', async (format) => {
  const pintle = await startPintle('--data', unpack(format), '--controllers', 'ttl-controller');
  try {
    const get = async (path: string) => JSON.parse((await pintle.client.send('GET', path)).text);
    expect(await get('/api/v1/namespaces/default/configmaps/kept')).toMatchObject({ data: { colour: 'blue' } });
    expect(await get('/api/v1/namespaces/default/secrets/kept')).toMatchObject({
      data: { password: Buffer.from('opens').toString('base64') },
    });
    expect(await get('/apis/example.com/v1/namespaces/default/widgets/kept')).toMatchObject({ spec: { size: 7 } });
  } finally {
    await stopPintle(pintle);
  }
});

test('a directory of a newer version is refused with a sentence, and stays as it is', async () => {
  const data = unpack(formats.at(-1)!);
  writeFileSync(join(data, 'store', 'created'), 'format 99\n');
  const before = readFileSync(join(data, 'store', 'data.mdb'));
  const pintle = spawnPintle('up', '--port', '0', '--data', data);
  await printed(
    pintle,
    /a newer version of Pintle wrote it, in format 99; this version reads up to format \d+\. Use that version/,
  );
  expect(await pintle.exited).toBe(1);
  expect(readFileSync(join(data, 'store', 'data.mdb')).equals(before)).toBe(true);
});
