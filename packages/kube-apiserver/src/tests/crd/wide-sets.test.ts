import { realClock } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { define } from '../../testing/define.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../testing/thing-definition.ts';

const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } };
const schema = { type: 'object', properties: { spec: { type: 'object', properties: { set } } } };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('a set of more values than could be stored with their owners is written without them, and does not stall', async () => {
  await using api = await openTestApi({ clock: realClock });
  await define(api, thingDefinition([{ name: 'v1', schema }]));
  const small = await api.post(thingsAt('v1'), thing('v1', 'small', { spec: { set: numbers(50_000) } }));
  expect(small.body.metadata).toHaveProperty('managedFields');
  const stallMs = await longestComputation(async () => {
    const { status, body } = await api.post(thingsAt('v1'), thing('v1', 'wide', { spec: { set: numbers(240_000) } }));
    expect(status).toBe(201);
    expect(body.metadata).not.toHaveProperty('managedFields');
  });
  expect(stallMs).toBeLessThan(250);
}, 60_000);

test('a set of more values than could be stored with their owners cannot be applied', async () => {
  await using api = await openTestApi({ clock: realClock });
  await define(api, thingDefinition([{ name: 'v1', schema }]));
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const body = JSON.stringify(thing('v1', 'wide', { spec: { set: numbers(120_000) } }));
  const { status } = await api.server.send('PATCH', thingsAt('v1', '/wide?fieldManager=me'), { headers, body });
  expect(status).toBe(413);
}, 60_000);
