import { quoteDocument } from '@pintle/apiserver/testing';
import { type Eventual, realClock } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** No busy machine exceeds this by accident; it took five seconds where names were looked up in a list. */
const MAX_STALL_MS = 2_000;

test.each([
  ['application/json-patch+json', [{ op: 'add', path: '/metadata/labels', value: 3 }]],
  ['application/merge-patch+json', { metadata: { labels: 3 } }],
  ['application/strategic-merge-patch+json', { metadata: { labels: 3 } }],
])('an object with many fields is quoted in the refusal of %s, and nobody waits', async (type, body) => {
  await using server = await openTestServer({ clock: realClock });
  const data = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 'x']));
  await server.send('POST', MAPS, { body: { metadata: { name: 'a' }, data } });
  let text = '';
  const stallMs = await longestComputation(async () => {
    const headers = { 'content-type': type };
    const answer = await server.send('PATCH', `${MAPS}/a`, { body: JSON.stringify(body), headers });
    expect(answer.status).toBe(422);
    text = await textOf(answer);
  });
  expect(text).toContain('labels');
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
});

test('others go first between one look at all of the object and the next', async () => {
  let turns = 0;
  const yielding = {
    inOwnTurn<T>(work: () => Eventual<T>): Eventual<T> {
      turns++;
      return work();
    },
  };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: '<' } };
  const text = await quoteDocument({ isCustom: false }, map, map, { opened: new Map() }, yielding);
  expect(text).toContain(String.raw`{"b":"\u003c"}`);
  expect(turns).toBe(4);
});
