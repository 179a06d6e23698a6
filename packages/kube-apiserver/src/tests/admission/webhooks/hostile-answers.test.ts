import { realClock } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { openHooked } from '../../../testing/admission-hook.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const patchOf = (text: string) => ({ patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') });
const wide = Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => [`k${i}`, '']));

test('a webhook that makes a wide object of a small one does not hold others up', async () => {
  const said = patchOf(JSON.stringify([{ op: 'add', path: '/data', value: wide }]));
  await using it = await openHooked(() => said, { clock: realClock });
  await it.register('Mutating', 'widening');
  const stallMs = await longestComputation(async () => {
    expect((await it.api.post(MAPS, { metadata: { name: 'a' } })).status).toBe(201);
  });
  expect(stallMs).toBeLessThan(250);
}, 60_000);

test('a patch of a webhook has no more values than a request', async () => {
  const said = patchOf(`[${Array.from({ length: 2_000_000 }, () => '0').join()}]`);
  await using it = await openHooked(() => said, { clock: realClock });
  await it.register('Mutating', 'endless');
  const { status, body } = await it.api.post(MAPS, { metadata: { name: 'a' } });
  expect(status).toBe(500);
  expect(body.message).toMatch(/more than \d+ structural tokens/);
}, 60_000);
