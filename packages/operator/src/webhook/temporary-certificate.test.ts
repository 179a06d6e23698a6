import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SteppedClock } from '@pintle/async';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServingCertificate } from './certificate-source.ts';
import { TemporaryCertificate } from './temporary-certificate.ts';

let file: string;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'pintle-kept-')), 'kept.json');
});
afterEach(() => rm(join(file, '..'), { recursive: true }));

const load = (clock: SteppedClock, host = 'localhost'): Promise<ServingCertificate> =>
  new TemporaryCertificate({ clock, hosts: [host], file }).load({ publish: async () => undefined });

test('the next process shows the same certificate, which is for its owner alone', async () => {
  const clock = new SteppedClock();
  const first = await load(clock);
  expect(await load(clock)).toEqual(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ['of other hosts', async (clock: SteppedClock) => load(clock, 'other.test')],
  ['that is old', async (clock: SteppedClock) => clock.advance(29 * 24 * 60 * 60 * 1000)],
  ['that cannot be read', async () => writeFile(file, (await readFile(file, 'utf8')).slice(1))],
])('a certificate %s is replaced', async (_what, spoil) => {
  const clock = new SteppedClock();
  const first = await load(clock);
  await spoil(clock);
  const next = await load(clock);
  expect(next).not.toEqual(first);
  expect(await load(clock)).toEqual(next);
});
