import { SteppedClock } from '@pintle/async';
import { Client } from '@pintle/client';
import { expect, test } from 'vitest';
import { discoverResources } from './discover-resources.ts';

test('what a server offers is asked once in a while, and at once when it is not known', async () => {
  const clock = new SteppedClock();
  const served = ['pods'];
  let asked = 0;
  const send = async ({ path }: { readonly path: string }) => {
    if (path === '/apis') asked++;
    const resources = served.map((resource) => ({
      resource,
      responseKind: { kind: 'Any' },
      scope: 'Cluster',
      verbs: [],
    }));
    const items = path === '/api' ? [{ metadata: {}, versions: [{ version: 'v1', resources }] }] : [];
    const body = new Blob([JSON.stringify({ kind: 'APIGroupDiscoveryList', items })]).stream();
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  };
  const client = new Client({ transport: { send }, clock });
  const find = async (plural: string) => (await discoverResources(client, ({ type }) => type.plural === plural)).length;
  expect(await find('pods')).toBe(1);
  expect(await find('pods')).toBe(1);
  expect(asked).toBe(1);
  served.push('nodes');
  expect(await find('nodes')).toBe(1);
  expect(asked).toBe(2);
  expect(await find('none')).toBe(0);
  expect(asked).toBe(3);
  await clock.advance(30_000);
  expect(await find('pods')).toBe(1);
  expect(asked).toBe(4);
});
